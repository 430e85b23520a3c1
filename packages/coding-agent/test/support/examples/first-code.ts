import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../program.ts";

/** Returns the first block of TypeScript on a page. */
export function firstCode(page: string): string {
  const code = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(repository, "docs", page), "utf8"))?.[1];
  if (code === undefined) throw new Error(`there is no code in ${page}`);
  return code;
}
