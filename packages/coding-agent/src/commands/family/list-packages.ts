import { printText } from "../../cli/print.ts";
import { familyArguments, refuseWords } from "./family-arguments.ts";

/** Runs `list`, which lists pi packages. pintle has extensions instead of packages. */
export async function run(argv: readonly string[]): Promise<number> {
  const { words } = familyArguments(argv, {});
  if (words.length > 0) refuseWords("list", words, "list");
  await printText("No packages installed.\n");
  return 0;
}
