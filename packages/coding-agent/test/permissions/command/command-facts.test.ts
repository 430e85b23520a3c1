import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandFacts } from "../../../src/permissions/command/command-facts.ts";

let root: string;
let project: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pintle-facts-")));
  project = join(root, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(root, "secret"), "s");
  writeFileSync(join(project, "src/a.ts"), "a");
  symlinkSync(join(root, "secret"), join(project, "link"));
  symlinkSync(root, join(project, "up"));
  symlinkSync(join(root, "secret"), join(project, "-l"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const factsOf = (text: string, hasOwnEnvironment = false, isConfined = true) =>
  commandFacts(text, {
    isConfined,
    cwd: project,
    isInside: (real) => real === project || real.startsWith(`${project}/`),
    hasOwnEnvironment,
  });

const LOOKS = [
  ...["ls", "ls -la src", "cat src/a.ts", "cat src/a.ts | head -5", "grep -rn foo src", "rg foo src", "git status"],
  ...[
    "git log --oneline -5",
    "git diff HEAD~1 -- src/a.ts",
    "find . -name '*.ts' -type f",
    "wc -l src/a.ts",
    "pwd",
    "echo hi",
  ],
  ...[
    "cd src && ls",
    "cd ./src && cat a.ts",
    "sort src/a.ts | uniq -c",
    "node --version",
    "ls 2>/dev/null",
    "cat < src/a.ts",
  ],
];

const ACTS: Readonly<Record<string, string>> = {
  "rm src/a.ts": "a program that is not known",
  "echo x > src/a.ts": "writes a file",
  "cat ../secret": "reads outside",
  "cat link": "reads outside through a link",
  "cat up/secret": "reads outside through a linked directory",
  "cat ~/.ssh/id_rsa": "reads outside",
  "cd up && cat secret": "goes outside",
  "cd .. && cat secret": "goes outside",
  "cd && ls": "goes home",
  "cd - && ls": "goes where it was before",
  "ls src/*": "links below a pattern are not known",
  "find . -delete": "deletes",
  "find . -exec rm {} +": "starts a program",
  "find . -fprint x": "writes a file",
  "find -L . -name x": "follows links",
  "sort -o x src/a.ts": "writes a file",
  "sort --outp=x src/a.ts": "writes a file, option shortened",
  "sort -no x src/a.ts": "writes a file, in a cluster",
  "sort --compress-program=sh src/a.ts": "starts a program",
  "uniq src/a.ts out": "writes a file",
  "grep -f link x": "reads patterns from a file",
  "grep --file=link x": "reads patterns from a file",
  "grep -R foo .": "follows links",
  "rg --pre=sh foo": "starts a program",
  "git diff --output=x": "writes a file",
  "git log --ou=x": "writes a file, option shortened",
  "git diff --ext-diff": "starts a program",
  "git -c core.pager=sh log": "starts a program",
  "git -C /x status": "another repository",
  "git commit -m x": "changes the repository",
  "git branch -D x": "changes the repository",
  "git diff --no-index a /etc/passwd": "reads outside",
  "tail -f src/a.ts": "never ends",
  "ls --time-style=+/../x": "an option with a path",
  "tee x": "writes a file",
  "sed -i s/a/b/ src/a.ts": "writes a file",
  "node x.js": "runs code",
  "./ls": "another program",
  "test -v 'a[$(id)]'": "the shell evaluates the subscript",
  "echo x | uniq - out": "writes a file",
  "cat up/../secret": "the directory above a link is elsewhere",
  "cat -- -l": "a word behind -- is a file, and a link to outside",
  "head -n1 -- -l": "a word behind -- is a file, and a link to outside",
  "cat --show=-l": "an option that names a link to outside",
  "diff src up": "follows links in directories",
  "md5sum -c list": "reads the files that a list names",
  "git blame --ignore-revs-file=link src/a.ts": "reads outside through an option",
  "cargo --version": "starts what the project names",
  "yarn --version": "starts what the project names",
  "cat < /dev/tcp/127.0.0.1/1": "a connection",
  "cat < ../secret": "reads outside",
};

describe("a command that only looks", () => {
  for (const text of LOOKS) test(text, () => expect(factsOf(text).isReadOnly).toBe(true));
});

describe("a command that may do more", () => {
  for (const [text, why] of Object.entries(ACTS)) {
    test(`${text}: ${why}`, () => expect(factsOf(text).isReadOnly).toBe(false));
  }
});

test("git and versions are looked at only where what they start does no harm", () => {
  for (const text of ["git status", "git log -3", "node --version"]) {
    expect([text, factsOf(text).isReadOnly, factsOf(text, false, false).isReadOnly]).toEqual([text, true, false]);
  }
});

test("the files that a command looks at are paths of the request", () => {
  expect(factsOf("cat src/a.ts | head -3").paths).toMatchObject([{ real: join(project, "src/a.ts"), access: "read" }]);
});

test("a command that starts outside is opaque", () => {
  const place = {
    isConfined: false,
    cwd: root,
    isInside: (real: string) => real.startsWith(project),
    hasOwnEnvironment: false,
  };
  expect(commandFacts("npm test", place).command.programs).toBe("opaque");
});

test("variables that are set for a command may change what every name in it means", () => {
  expect(factsOf("ls", true)).toMatchObject({ command: { programs: "opaque" }, isReadOnly: false });
});

test("a redirection to a file outside makes a command uncertain, one inside is a path of the request", () => {
  expect(factsOf("npm test > ../x").command.programs).toBe("opaque");
  expect(factsOf("npm test > up/x").command.programs).toBe("opaque");
  expect(factsOf("npm test > link").command.programs).toBe("opaque");
  expect(factsOf("npm test > src/out")).toMatchObject({
    command: { programs: [["npm", "test"]] },
    paths: [{ real: join(project, "src/out"), access: "write" }],
  });
});

test("after a cd a file may be in either directory", () => {
  expect(factsOf("cd ./src && npm test > out").paths.map(({ real }) => real)).toEqual([
    join(project, "out"),
    join(project, "src/out"),
  ]);
});
