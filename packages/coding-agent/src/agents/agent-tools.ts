import { namesMeant } from "../tools/family-names.ts";

/** Claude Code's names of tools that pintle has under another name. */
const CLAUDE_NAMES: Readonly<Record<string, readonly string[]>> = {
  agent: ["task"],
  askuserquestion: ["ask"],
  bashoutput: ["job"],
  killshell: ["job"],
  multiedit: ["edit"],
  taskoutput: ["job"],
  taskstop: ["job"],
};

/** Returns pintle's names of the tools that a definition lists. A name without a counterpart stays as it is. */
export function toolNames(written: readonly string[]): string[] {
  return [...new Set(written.flatMap((name) => CLAUDE_NAMES[name.toLowerCase()] ?? namesMeant(name)))];
}
