import { toPlainText } from "../../processes/output/terminal-text.ts";
import type { RipgrepEnd } from "./ripgrep-run.ts";

const MAX_CHARACTERS = 400;
const LITERAL_HINT = "To search for a text as it is, set literal to true.";

interface Refusal {
  /** The reason is in its first group. */
  sign: RegExp;
  say(reason: string): string;
}

const badPattern = (reason: string) => `Invalid regular expression: ${reason}. ${LITERAL_HINT}`;

/** In this order: ripgrep tries PCRE2 for what its own engine cannot do, and then complains about both. */
const REFUSALS: readonly Refusal[] = [
  { sign: /error: (?:look-around|backreferences)[\s\S]*^PCRE2: error compiling pattern(.+)/m, say: badPattern },
  { sign: /^error: (.+)/m, say: badPattern },
  { sign: /^(?:rg: )?PCRE2: error compiling pattern(.+)/m, say: badPattern },
  { sign: /(unrecognized file type: .+)/, say: (reason) => `${reason}. Use glob instead.` },
  { sign: /error parsing glob (.+)/, say: (reason) => `Invalid glob ${reason}` },
];

/** Why ripgrep did not search at all, for a model. */
export function explainRefusal(complaint: string): string {
  const text = toPlainText(Buffer.from(complaint), { hasStart: true, hasEnd: true }).trim();
  for (const { sign, say } of REFUSALS) {
    const reason = sign.exec(text)?.[1]?.trim();
    if (reason) return say(reason).slice(0, MAX_CHARACTERS);
  }
  const start = text.split("\n", 2).join("\n").slice(0, MAX_CHARACTERS);
  return `The search failed: ${start || "ripgrep gave no reason"}`;
}

/** Whether ripgrep refused to list files. It does not tell otherwise: a path that it cannot read has the same exit code. */
export function isBadGlob({ exitCode, complaints }: RipgrepEnd): boolean {
  return exitCode === 2 && complaints.text.startsWith("rg: error parsing glob");
}
