import type { Random } from "./random.ts";

const FRAGMENTS = [
  "plain words",
  "漢字 and 😀",
  "\u2028\u2029\u0085\u000b",
  '"quotes" \\ and {braces}',
  "\r\n\t",
  "\u0000\u001b[31m",
  "__proto__",
  "toString",
  "/command with args",
  "@file",
  "\ud800",
  "\udfff\ud83d",
  "e\u0301\u200d\ufeff",
  "",
];

/** Returns some text, occasionally long enough to fill every buffer on its way. */
export function anyText(random: Random): string {
  const text = Array.from({ length: random.int(4) }, () => random.pick(FRAGMENTS)).join(" ");
  if (random.chance(0.97)) return text;
  return `${text} long`.repeat(1 + random.int(random.chance(0.2) ? 60_000 : 2_000));
}

/** Each ends soon, on an abort, or with the process. */
const SHELL_COMMANDS = [
  "echo hi",
  "exit 3",
  "sleep 30",
  "sleep 30 & echo started",
  "(sleep 30; sleep 30) & (sleep 30 &) ; true",
  "trap '' TERM INT HUP; sleep 30",
  "head -c 300000 /dev/zero | tr '\\0' 'x'",
  "printf '\\377\\376 no text \\200'",
  "kill -9 $$",
  "exec 1>&- 2>&-; sleep 0.2",
  "cat",
  'echo \'{"type":"ready"}\' > /proc/self/fd/1; echo err >&2',
  "no-such-program-at-all",
  "syntax ( error",
  "echo a\u0000b",
  `: ${"long ".repeat(60_000)}`,
];

export const anyShellCommand = (random: Random) => random.pick(SHELL_COMMANDS);
