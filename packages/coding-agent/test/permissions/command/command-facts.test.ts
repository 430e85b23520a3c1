import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { type CommandFacts, commandFacts } from "../../../src/permissions/command/command-facts.ts";

let root: string;
let project: string;

beforeAll(() => {
  root = scratchPath();
  project = join(root, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(root, "secret"), "s");
  writeFileSync(join(project, "src/a.ts"), "a");
  symlinkSync(join(root, "secret"), join(project, "link"));
  symlinkSync(root, join(project, "up"));
  symlinkSync("src", join(project, "inner"));
  symlinkSync("/proc/self", join(project, "self"));
  symlinkSync(join(root, "secret"), join(project, "-odd"));
  symlinkSync(join(root, "secret"), join(project, "-w"));
});

/** The working directory of every command here; the directories are created before the first test. */
const PLACE = {
  isConfined: true,
  get project() {
    return project;
  },
  isInside: (real: string) => real === project || real.startsWith(`${project}/`),
  containsKeys: () => false,
  hasOwnEnvironment: false,
};

const factsOf = (text: string, hasOwnEnvironment = false, isConfined = true) =>
  commandFacts(text, { ...PLACE, cwd: project, isConfined, hasOwnEnvironment });

const isReadOnly = ({ reading }: CommandFacts): boolean => reading?.readOnlyPrograms.every(Boolean) ?? false;

const LOOKS = [
  "ls",
  "ls -la src",
  "cat src/a.ts",
  "cat src/a.ts | head -5",
  "grep -rn foo src",
  "rg foo src",
  "git status",
  "git log --oneline -5",
  "git diff HEAD~1 -- src/a.ts",
  "find . -name '*.ts' -type f",
  "wc -l src/a.ts",
  "tail -n5 src/a.ts",
  "tail -c+3 src/a.ts",
  "pwd",
  "echo hi",
  "cd src && ls",
  "cd ./src && cat a.ts",
  "sort src/a.ts | uniq -c",
  "node --version",
  "ls 2>/dev/null",
  "cat < src/a.ts",
];

const ACTS: Readonly<Record<string, string>> = {
  "tail -cf src/a.ts": "follows the file for ever",
  "tail +1f src/a.ts": "follows the file for ever",
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
  "cd inner && ls": "a link, above which the shell and the system see different directories",
  "cd self/cwd && cd .. && cat environ": "a directory outside that leads back inside",
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
  "tee x": "writes a file",
  "sed -i s/a/b/ src/a.ts": "writes a file",
  "node x.js": "runs code",
  "./ls": "another program",
  "test -v 'a[$(id)]'": "the shell evaluates the subscript",
  "echo x | uniq - out": "writes a file",
  "cat up/../secret": "the directory above a link is elsewhere",
  "cat -- -odd": "a word behind -- is a file, and a link to outside",
  "head -n1 -- -odd": "a word behind -- is a file, and a link to outside",
  "cat --show=-odd": "an option that names a link to outside",
  "diff src up": "follows links in directories",
  "md5sum -c list": "reads the files that a list names",
  "git blame --ignore-revs-file=link src/a.ts": "reads outside through an option",
  "cargo --version": "starts what the project names",
  "yarn --version": "starts what the project names",
  "cat < /dev/tcp/127.0.0.1/1": "a connection",
  "cat < ../secret": "reads outside",
  "wc -w src/a.ts": "an option that is also the name of a link to outside",
  "find -- . -maxdepth 0 -exec sh -c id ;": "options of find end nowhere",
  "find . -name -exec": "a value that is an action",
  "rg -e -- --pre=./evil.sh x src/a.ts": "-- is the value of -e",
  "rg -- --pre=./evil.sh": "an option that is not listed, wherever it is",
  "file -F -- -C -m magicf": "-- is the value of -F",
  "tree -P -- -o f": "-- is the value of -P",
  "tree -Po x f": "older versions read the letter after an option with a value",
  "tree -L 1 --fromfile src": "reads the names of files",
  "sort src/a.ts -oout": "writes a file, value attached",
  "sort -t -o src/a.ts": "a value that may be an option",
  "sort --files0-f=link": "reads the names of files, option shortened",
  "grep --fil=link x": "reads patterns from a file, option shortened",
  "file --comp src": "writes a file, option shortened",
  "file -p src/a.ts": "changes the time of the file",
  "head --unknown": "an option that is not listed",
  "uniq src/a.ts -- --group=2": "a word after -- is an operand, which is written",
  "uniq src/a.ts -c": "some versions take options only before operands",
  "uniq -f 1 src/a.ts": "two words, of which one may be written",
  "git --no-pager -c core.fsmonitor=sh status": "starts a program",
  "git log --show-signature": "starts a program",
  "ls -L up": "follows links",
};

/** Read-only, with words that need care. */
const READS: readonly string[] = [
  "git --no-pager log -3 --stat",
  "find src -maxdepth 2 -mtime -7 -size +10k -name '*.ts' -not -path './x/*' -print",
  "find . -perm -u+x -newer src/a.ts -type f",
  "grep -rnA3 -e foo --include='*.ts' src",
  "grep -rn -5 foo src",
  "rg -n --hidden -g '!dist' -tjs foo src",
  "head -n -5 src/a.ts",
  "tail -n +5 src/a.ts",
  "sort -k2,2n -t: src/a.ts | uniq -c | sort -rn | head",
  "cut -d: -f1-3 src/a.ts",
  "tree -aL 2 -I node_modules src",
  "echo --- 'a/../b' /etc/passwd",
  "uniq -f1 src/a.ts",
  "du -sh src",
  "ls -la -- src",
  "file -b src/a.ts",
];

describe("a read-only command", () => {
  for (const text of READS) test(text, () => expect(isReadOnly(factsOf(text))).toBe(true));
});

describe("a command that only looks", () => {
  for (const text of LOOKS) test(text, () => expect(isReadOnly(factsOf(text))).toBe(true));
});

describe("a command that may do more", () => {
  for (const [text, why] of Object.entries(ACTS)) {
    test(`${text}: ${why}`, () => expect(isReadOnly(factsOf(text))).toBe(false));
  }
});

test("git and versions are looked at only where what they start does no harm", () => {
  for (const text of ["git status", "git log -3", "node --version"]) {
    expect([text, isReadOnly(factsOf(text)), isReadOnly(factsOf(text, false, false))]).toEqual([text, true, false]);
  }
});

test("the files that a command looks at are paths of the request", () => {
  expect(factsOf("cat src/a.ts | head -3").paths).toMatchObject([{ real: join(project, "src/a.ts"), access: "read" }]);
});

test("a search through a directory with keys is not read-only, unless a sandbox hides them", () => {
  const containsKeys = (real: string) => real === project;
  const judged = (text: string, isConfined = false) =>
    isReadOnly(commandFacts(text, { ...PLACE, cwd: project, isConfined, containsKeys }));
  for (const text of ["grep -r key .", "grep -r key", "rg key", "rg --hidden key .", "rg -ekey"])
    expect([text, judged(text), judged(text, true)]).toEqual([text, false, true]);
  for (const text of ["grep -r key src", "rg key src", "cat src/a.ts", "grep key src/a.ts", "find . -name x"])
    expect([text, judged(text)]).toEqual([text, true]);
});

test("a command that starts outside is opaque", () => {
  const place = {
    isConfined: false,
    project,
    cwd: root,
    isInside: (real: string) => real.startsWith(project),
    containsKeys: () => false,
    hasOwnEnvironment: false,
  };
  expect(commandFacts("npm test", place).command.programs).toBe("opaque");
});

test("the directory above a linked one is uncertain", () => {
  const place = { isConfined: false, isInside: () => true, containsKeys: () => false, hasOwnEnvironment: false };
  const programsIn = (cwd: string) => commandFacts("cd .. && ls", { ...place, project: cwd, cwd }).command.programs;
  expect(programsIn(join(project, "inner"))).toBe("opaque");
  expect(programsIn(join(project, "src"))).toEqual([["cd", ".."], ["ls"]]);
});

describe("a command in another directory", () => {
  const readOnlyIn = (text: string, cwd = project) => commandFacts(text, { ...PLACE, cwd }).reading?.readOnlyPrograms;

  test("is judged as one that begins with a cd", () => {
    const { command, reading } = commandFacts("npm test", { ...PLACE, cwd: join(project, "src") });
    expect(command).toEqual({
      text: "npm test",
      programs: [
        ["cd", "src"],
        ["npm", "test"],
      ],
    });
    expect(reading).toMatchObject({ readOnlyPrograms: [false, false], patternPrograms: [false, false] });
    expect(reading?.script).not.toContain("cd");
  });

  test("needs a rule for the directory, unless all of it is read-only", () => {
    expect(readOnlyIn("cd src && npm test")).toEqual([false, false]);
    expect(readOnlyIn("cd src && cat a.ts")).toEqual([true, true]);
    expect(readOnlyIn("cat a.ts", join(project, "src"))).toEqual([true, true]);
    expect(readOnlyIn("cd . && npm test")).toEqual([true, false]);
    expect(readOnlyIn(`cd ${project} && npm test`)).toEqual([true, false]);
  });
});

test("variables that are set for a command may change what every name in it means", () => {
  expect(factsOf("ls", true)).toEqual({ command: { text: "ls", programs: "opaque" }, paths: [] });
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

test("every program of a line is judged on its own", () => {
  const { reading, paths } = factsOf("npm test && cat src/a.ts | head -3");
  expect(reading?.readOnlyPrograms).toEqual([false, true, true]);
  expect(paths).toMatchObject([{ real: join(project, "src/a.ts"), access: "read" }]);
  expect(factsOf("npm test | head -3 > out").reading?.readOnlyPrograms).toEqual([false, false]);
});

describe("the shell and its environment", () => {
  const withEnvironment = (values: Record<string, string>, check: () => void): void => {
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, process.env[name]]));
    Object.assign(process.env, values);
    try {
      check();
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  };
  const isOpaque = (text: string) => factsOf(text).command.programs === "opaque";

  test("commands for a shell other than bash or sh are opaque", () => {
    const programsFor = (shellPath: string) =>
      commandFacts("ls", { ...PLACE, cwd: project, shellPath }).command.programs;
    for (const shell of ["/bin/zsh", "/usr/bin/fish", "nu", "/bin/bashish"]) expect(programsFor(shell)).toBe("opaque");
    for (const shell of ["/bin/bash", "sh", "/opt/homebrew/bin/bash"]) expect(programsFor(shell)).toEqual([["ls"]]);
  });

  test("a program that PATH finds in the project is not the known one", () => {
    mkdirSync(join(project, "bin"), { recursive: true });
    writeFileSync(join(project, "bin/ls"), "#!/bin/sh\n", { mode: 0o755 });
    const path = process.env.PATH ?? "";
    for (const first of [join(project, "bin"), "bin", "", "."]) {
      withEnvironment({ PATH: `${first}:${path}` }, () => expect(isReadOnly(factsOf("ls"))).toBe(false));
    }
    withEnvironment({ PATH: `${path}:${join(project, "bin")}` }, () => expect(isReadOnly(factsOf("ls"))).toBe(true));
  });

  test("a function or a start-up file of the project may redefine every name", () => {
    withEnvironment({ "BASH_FUNC_ls%%": "() { id; }" }, () => expect(isOpaque("ls")).toBe(true));
    withEnvironment({ "BASH_FUNC_module%%": "() { id; }" }, () => expect(isOpaque("ls")).toBe(false));
    for (const file of [".env.sh", join(project, ".env.sh")])
      withEnvironment({ BASH_ENV: file }, () => expect(isOpaque("ls")).toBe(true));
    withEnvironment({ BASH_ENV: join(root, "own.sh") }, () => expect(isOpaque("ls")).toBe(false));
  });

  test("variables that add options leave no program read-only", () => {
    for (const name of ["POSIXLY_CORRECT", "RIPGREP_CONFIG_PATH"])
      withEnvironment({ [name]: "x" }, () => expect(isReadOnly(factsOf("rg foo"))).toBe(false));
  });
});
