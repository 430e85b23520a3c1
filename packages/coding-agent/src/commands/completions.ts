import { printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { bashCompletions } from "./completions/bash.ts";
import { completionModel } from "./completions/completion-model.ts";
import { fishCompletions } from "./completions/fish.ts";
import { zshCompletions } from "./completions/zsh.ts";
import type { CallOf } from "./subcommand-flags.ts";

const SHELLS = new Map([
  ["bash", bashCompletions],
  ["zsh", zshCompletions],
  ["fish", fishCompletions],
]);

export async function run({ words }: Pick<CallOf<"completions">, "words">): Promise<number> {
  const render = words.length === 1 ? SHELLS.get(words[0]!) : undefined;
  if (!render) throw new UsageError(`pintle completions needs one of ${[...SHELLS.keys()].join(", ")}`);
  await printText(render(completionModel()));
  return 0;
}
