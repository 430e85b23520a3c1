import { toPlainText } from "@pintle/exec";
import { type RipgrepEnd, TIME_LIMIT_MS } from "./ripgrep-run.ts";

const MAX_CHARACTERS = 400;
const LITERAL_HINT = "To search for literal text, set literal to true.";

interface Refusal {
  /** Matches ripgrep's message; the first group is the reason. */
  sign: RegExp;
  say(reason: string): string;
}

const badPattern = (reason: string) => `Invalid regular expression: ${reason}. ${LITERAL_HINT}`;

/** Checked in this order: ripgrep falls back to PCRE2 and then reports errors of both engines. */
const REFUSALS: readonly Refusal[] = [
  { sign: /error: (?:look-around|backreferences)[\s\S]*^PCRE2: error compiling pattern(.+)/m, say: badPattern },
  { sign: /^error: (.+)/m, say: badPattern },
  { sign: /^(?:rg: )?PCRE2: error compiling pattern(.+)/m, say: badPattern },
  { sign: /(unrecognized file type: .+)/, say: (reason) => `${reason}. Use glob instead.` },
  { sign: /error parsing glob (.+)/, say: (reason) => `Invalid glob ${reason}` },
];

/** Explains to the model why ripgrep did not search at all. */
export function explainRefusal(complaint: string): string {
  const text = toPlainText(Buffer.from(complaint), { hasStart: true, hasEnd: true }).trim();
  for (const { sign, say } of REFUSALS) {
    const reason = sign.exec(text)?.[1]?.trim();
    if (reason) return say(reason).slice(0, MAX_CHARACTERS);
  }
  const start = text.split("\n", 2).join("\n").slice(0, MAX_CHARACTERS);
  return `The search failed: ${start || "ripgrep gave no reason"}`;
}

/** Whether ripgrep rejected the request, rather than a path that it could not read. */
export function isRefusal({ exitCode, complaints }: RipgrepEnd): boolean {
  return exitCode === 2 && REFUSALS.some(({ sign }) => sign.test(complaints.text));
}

/** Whether ripgrep refused to list files. Its exit code is the same for a path that it cannot read. */
export function isBadGlob({ exitCode, complaints }: RipgrepEnd): boolean {
  return exitCode === 2 && complaints.text.startsWith("rg: error parsing glob");
}

/** Returns notes about an incomplete search. */
export function incompleteNotices({ hasTimedOut, unreadable }: { hasTimedOut: boolean; unreadable: number }): string[] {
  const time = `[Stopped after ${TIME_LIMIT_MS / 1000} seconds, before everything was searched. Use a narrower path.]`;
  const paths = unreadable === 1 ? "1 path" : `${unreadable} paths`;
  return [...(hasTimedOut ? [time] : []), ...(unreadable > 0 ? [`[${paths} could not be read.]`] : [])];
}
