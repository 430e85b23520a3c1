import { toPlainText } from "@pintle/exec";
import { type RipgrepEnd, TIME_LIMIT_MS } from "./ripgrep-run.ts";

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

/** Whether ripgrep complained about the request, not about a path that it could not read. */
export function isRefusal({ exitCode, complaints }: RipgrepEnd): boolean {
  return exitCode === 2 && REFUSALS.some(({ sign }) => sign.test(complaints.text));
}

/** Whether ripgrep refused to list files. Its exit code does not distinguish this from a path that it cannot read. */
export function isBadGlob({ exitCode, complaints }: RipgrepEnd): boolean {
  return exitCode === 2 && complaints.text.startsWith("rg: error parsing glob");
}

/** Returns notes about an incomplete search. */
export function incompleteNotices({ hasTimedOut, unreadable }: { hasTimedOut: boolean; unreadable: number }): string[] {
  const time = `[Stopped after ${TIME_LIMIT_MS / 1000} seconds; not everything was searched. Give a narrower path.]`;
  const paths = unreadable === 1 ? "1 path" : `${unreadable} paths`;
  return [...(hasTimedOut ? [time] : []), ...(unreadable > 0 ? [`[${paths} could not be read.]`] : [])];
}
