import type { Random } from "../fuzz/random.ts";

/** Names that every shell of the comparison records. */
export const RECORDED = ["one", "two", "three"];

const WORDS = [
  "a",
  "b",
  "-b",
  "-o",
  "--",
  "-",
  "--x=y",
  "1",
  "2",
  "10",
  "0",
  "é",
  "x-file",
  "/dev/null",
  ".",
  "..",
  "./a",
  "x",
  "y",
  "*",
  "x*",
  "x-f?le",
  "?",
  "[a]",
  "x[-a]file",
  "]",
  "x]",
  "!",
  "^",
  "%",
  "#",
  "a#",
  "=a",
  "a=b",
  "a=~",
  "a:~",
  "~",
  "~/",
  "~/a",
  "~a",
  "'q r'",
  '"s t"',
  "''",
  '""',
  "'a\nb'",
  '"a\nb"',
  '"\\$"',
  '"\\\\"',
  '"\\a"',
  "'\\'",
  '"\'"',
  "\\;",
  "\\ ",
  "\\'",
  '\\"',
  "\\\\",
  "\\#",
  "\\~",
  "\\*",
  "{}",
  "{",
  "}",
  "{a,b}",
  "{1..3}",
  "{a",
  "a}",
  "$",
  "$a",
  '"$a"',
  "$(two)",
  "`two`",
  "$'a'",
  '$"a"',
  "$((1))",
];
const JOINTS = [
  " ",
  " ",
  " ",
  "  ",
  "\t",
  ";",
  "&&",
  "||",
  "|",
  "|&",
  "&",
  "\n",
  " \n",
  "\\\n",
  " \\\n ",
  "\\\n ",
  " \\\n",
  " #",
  "#",
  "# one\n",
  ";;",
  "!",
  "! ",
  "(",
  ")",
  "{ ",
  "; }",
  ";}",
  "(( ",
  " ))",
  "'",
  '"',
  "\\",
  "\\\\",
  "`",
  ">",
  ">>",
  "<",
  "<>",
  ">|",
  "&>",
  "&>>",
  ">&",
  "<&",
  ">&-",
  "2>&1",
  ">&2",
  "1>",
  "2>",
  "10>",
  "<<",
  "<<<",
  "<(",
  ">(",
  ">/dev/null",
  " >/dev/null",
  "1>/dev/null",
  "2>/dev/null ",
  "12>/dev/null",
  "&>/dev/null",
  " </dev/null",
  ">'a' ",
  "> b ",
];
const OTHERS = [
  "A=1 ",
  "eval ",
  "if ",
  "then ",
  "fi",
  "do ",
  "done",
  "for ",
  "in ",
  "case ",
  "esac",
  "<<E",
  "\nE\n",
  "[[ ",
  "]] ",
  "exec ",
  "command ",
  "time ",
  "function ",
  "coproc ",
  "one()",
  "\r",
  "\u00a0",
  "\u2028",
  "\u0001",
  "\v",
  "\f",
];

/** Returns plain lines with a few changes. */
const LINES = [
  "one a -b 'q r' | two \"s t\" && three x*",
  "one >/dev/null 2>&1; two a b\nthree -- -o x",
  "(one a; two) && { three b; } || one",
  "! one -o1 a \\\n  -x; two 'it'\\''s' # three",
  'one a & two b; three "a\\"b" c\\ d',
  "find . -name '*.ts' -exec one {} \\;",
  "one --x='a b' ~/a 2>/dev/null <a | two ''",
];

/** Returns a command with all the constructs that shell parsers get wrong. */
export function commandText(random: Random): string {
  return random.chance(0.5) ? fragments(random) : changedLine(random);
}

function fragments(random: Random): string {
  const count = 1 + random.int(14);
  return Array.from({ length: count }, () => fragment(random)).join("");
}

function fragment(random: Random): string {
  const kind = random.int(100);
  if (kind < 24) return random.pick(RECORDED);
  if (kind < 50) return random.pick(WORDS);
  if (kind < 72) return random.pick(JOINTS);
  if (kind < 75) return random.pick(OTHERS);
  return " ";
}

function changedLine(random: Random): string {
  let text = random.pick(LINES);
  const changes = 1 + random.int(3);
  for (let change = 0; change < changes; change += 1) {
    const at = random.int(text.length + 1);
    const removed = random.chance(0.3) ? 1 + random.int(3) : 0;
    const added = random.chance(0.85) ? random.pick(random.chance(0.5) ? WORDS : JOINTS) : "";
    text = text.slice(0, at) + added + text.slice(at + removed);
  }
  return text;
}
