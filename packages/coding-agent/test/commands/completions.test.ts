import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { FLAGS } from "../../src/cli/flags.ts";
import { SUBCOMMANDS } from "../../src/commands/subcommands.ts";
import { cleanEnvironment, program, runProgram } from "../support/program.ts";
import { testWith } from "../support/system-tool.ts";
import { where } from "../support/where.ts";

/** A directory with a shell's completion script in `script`, and files to complete. */
async function place(shell: string) {
  const scratch = scratchDirectory();
  const env = cleanEnvironment(scratch.path);
  const { code, stdout, stderr } = await runProgram(["completions", shell], { cwd: scratch.path, env });
  expect([code, stderr]).toEqual([0, ""]);
  writeFileSync(join(scratch.path, "script"), stdout);
  writeFileSync(join(scratch.path, "afile.txt"), "");
  mkdirSync(join(scratch.path, "adir"));
  return {
    path: scratch.path,
    async run(command: readonly string[]): Promise<string[]> {
      const child = Bun.spawn([...command], {
        cwd: scratch.path,
        env,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      expect([await child.exited, err]).toEqual([0, ""]);
      return out.split("\n").filter((line) => line !== "");
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

const TERMINAL = join(import.meta.dir, "../support/scenarios/at-terminal.py");
const atTerminal = testWith("python3");
const OPTIONS = Object.keys(FLAGS).map((name) => `--${name}`);

/** The words before the cursor as bash splits them, the last one incomplete, and the completions offered. */
const CASES: readonly (readonly [words: string[], offered: string[]])[] = [
  [["--mo"], ["--mode", "--model", "--models"]],
  [
    ["--mode", ""],
    ["text", "json", "rpc", "rpc-ui", "acp"],
  ],
  [["-p", "--thinking", "x"], ["xhigh"]],
  [["--session-dir", "a"], ["adir"]],
  [
    ["-e", "a"],
    ["adir", "afile.txt"],
  ],
  [["compl"], ["completions"]],
  [
    ["completions", ""],
    ["bash", "zsh", "fish"],
  ],
  [["help", ""], Object.keys(SUBCOMMANDS)],
  [["completions", "--"], ["--help"]],
  [["hello", "compl"], []],
];

describe("bash", () => {
  /** As bash calls the function. */
  async function complete(words: readonly string[]): Promise<string[]> {
    using at = await place("bash");
    const list = ["pintle", ...words].map((word) => `'${word}'`).join(" ");
    const script = `source ./script; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _pintle; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await at.run(["bash", "--norc", "-c", script])).sort();
  }

  test.each(CASES)("%j: %j", async (words, offered) => {
    expect(await complete(words)).toEqual(offered.toSorted());
  });

  test.each([
    [
      ["--mode", "=", "r"],
      ["rpc", "rpc-ui"],
    ],
    [
      ["--mode", "="],
      ["acp", "json", "rpc", "rpc-ui", "text"],
    ],
    [
      ["look", "@", "a"],
      ["@adir/", "@afile.txt"],
    ],
  ])("%j is one word for the user: %j", async (words, offered) => {
    expect(await complete(words)).toEqual(offered);
  });

  /** Returns the arguments that the program receives when a user types this and presses Tab. */
  async function typed(line: string): Promise<string | undefined> {
    using at = await place("bash");
    const rc = `source ./script; bind 'set bell-style none'; pintle() { echo "started with <$*>"; exit; }; PS1='now: '`;
    writeFileSync(join(at.path, "rc"), rc);
    const bash = [Bun.which("bash") as string, "--noprofile", "--rcfile", "./rc", "-i"];
    const shown = await at.run(["env", "ASKED=now: ", "python3", TERMINAL, `${line}\t`, ...bash]);
    return /started with <(.*)>/.exec(shown.join("\n"))?.[1];
  }

  atTerminal("what is typed is completed in place", async () => {
    expect(await typed("pintle look @af")).toBe("look @afile.txt");
    expect(await typed("pintle --mode=js")).toBe("--mode=json");
    expect(await typed("pintle --session-dir a")).toBe("--session-dir adir/");
    expect(await typed("pintle compl")).toBe("completions");
  });

  test("knows every option", async () => {
    expect(await complete(["--"])).toEqual(expect.arrayContaining(OPTIONS));
  });
});

describe("fish", () => {
  const { test } = where(Bun.which("fish") !== null, "needs fish");

  async function complete(line: string): Promise<string[]> {
    using at = await place("fish");
    const found = await at.run(["fish", "--no-config", "-c", `source ./script; complete -C '${line}'`]);
    return found.map((row) => (row.split("\t")[0] as string).replace(/\/$/, "")).sort();
  }

  for (const [words, offered] of CASES) {
    test(`${JSON.stringify(words)}: ${JSON.stringify(offered)}`, async () => {
      expect(await complete(`pintle ${words.join(" ")}`)).toEqual(offered.toSorted());
    });
  }

  test("@ completes a file", async () => {
    expect(await complete("pintle look @af")).toEqual(["@afile.txt"]);
  });

  test("knows every option", async () => {
    expect(await complete("pintle --")).toEqual(expect.arrayContaining(OPTIONS));
  });
});

describe("zsh", () => {
  const { test } = where(Bun.which("zsh") !== null, "needs zsh");

  test("is a valid script that names every option", async () => {
    using at = await place("zsh");
    expect(await at.run(["zsh", "-f", "-n", "./script"])).toEqual([]);
    const text = (await at.run(["cat", "./script"])).join("\n");
    expect(OPTIONS.filter((name) => !text.includes(`${name}[`) && !text.includes(`${name}=[`))).toEqual([]);
  });

  test("completion loads it", async () => {
    using at = await place("zsh");
    const script = "autoload -Uz compinit && compinit -u -D; source ./script; print -r -- $_comps[pintle]";
    expect(await at.run(["zsh", "-f", "-c", script])).toEqual(["_pintle"]);
  });
});

test.each([[[]], [["tcsh"]], [["bash", "zsh"]]])("completions for %j is a usage error", async (words) => {
  using scratch = scratchDirectory();
  const result = await runProgram(["completions", ...words], {
    cwd: scratch.path,
    env: cleanEnvironment(scratch.path),
    command: [program],
  });
  expect([result.code, result.stdout]).toEqual([2, ""]);
  expect(result.stderr).toContain("pintle completions needs one of bash, zsh, fish");
});
