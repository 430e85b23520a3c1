import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { SessionStore } from "../../../storage/src/session-store.ts";
import { readPageFile } from "../support/export/read-page.ts";
import { cleanEnvironment, repository, runProgram } from "../support/program.ts";

const source = [process.execPath, join(repository, "packages/coding-agent/src/cli.ts")];
const scratch = scratchDirectory();
const home = join(scratch.path, "home");
const cwd = join(scratch.path, "project");
const IDS = ["aaaa1111", "aaaa2222", "aaaa22", "bbbb3333"];
const files: Record<string, string> = {};

beforeAll(() => {
  for (const directory of [join(cwd, "directory"), home]) mkdirSync(directory, { recursive: true });
  const store = new SessionStore({
    cwd,
    sessionDir: join(home, ".pintle", "sessions"),
    blobDir: join(home, ".pintle", "blobs"),
    clock: { now: Date.now },
    process: { pid: process.pid, host: "test", startedAt: "now" },
    fsync: "never",
  });
  for (const id of IDS) {
    const manager = store.create({ id });
    manager.appendMessage({ role: "user", content: [{ type: "text", text: `This is ${id}` }], timestamp: 1 });
    files[id] = manager.sessionFile as string;
    manager.close();
  }
  writeFileSync(join(cwd, "empty.jsonl"), "");
  writeFileSync(join(cwd, "other.jsonl"), "not a session\n");
  writeFileSync(join(cwd, "notes.md"), "# mine\n");
});
afterAll(() => scratch[Symbol.dispose]());

const run = (...args: string[]) =>
  runProgram(["--export", ...args], { cwd, env: cleanEnvironment(home), command: source });

async function exported(...args: string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, ""]);
  return readPageFile(stdout.trimEnd()).index.session.id;
}

describe("pintle --export", () => {
  test("finds a session by its path, its id or a prefix of it, also in another directory", async () => {
    expect(await exported(files.bbbb3333 as string, "by-path.html")).toBe("bbbb3333");
    expect(await exported("aaaa1111", "by-id.html")).toBe("aaaa1111");
    expect(await exported("bb", "by-prefix.html")).toBe("bbbb3333");
    expect(await exported("aaaa22", "exact-before-prefix.html")).toBe("aaaa22");
    const elsewhere = join(home, ".pintle", "sessions");
    expect(await exported("bb", "by-directory.html", "--session-dir", elsewhere)).toBe("bbbb3333");
    expect((await run("bb", "--session-dir", join(home, "nowhere"))).code).toBe(2);
  });

  test("names the page after the session if no path is given", async () => {
    const { stdout } = await run("bbbb");
    const stem = basename(files.bbbb3333 as string, ".jsonl");
    expect(stdout).toBe(`${join(cwd, `pintle-session-${stem}.html`)}\n`);
  });

  test.each<[string, string[], string, number]>([
    ["no such file", ["missing.jsonl"], "Session file not found: ", 1],
    ["no such id", ["cccc"], "Session not found: cccc", 2],
    ["several ids", ["aaaa"], '"aaaa" can be 3 sessions; give more of the id of one:\n  aaaa', 2],
    ["a directory", ["directory"], "it is not a file", 1],
    ["no session", ["other.jsonl"], "header is missing or malformed", 1],
    ["an empty file", ["empty.jsonl"], "the file is empty", 1],
    ["a directory to write", ["bbbb", "directory"], "EISDIR: ", 1],
    ["no directory to write into", ["bbbb", "nowhere/page.html"], "does not exist", 1],
    ["a session to write", ["bbbb", "other.jsonl"], "is a session file and is not overwritten", 1],
    ["another file to overwrite", ["bbbb", "notes.md"], "exists and is not an exported page; nothing was written", 1],
    ["too many words", ["bbbb", "a.html", "b.html"], "takes one session and at most one file", 2],
    ["nothing", [], "--export needs a value <session> [file]", 2],
  ])("reports the error: %s", async (_, args, problem, expectedCode) => {
    const before = readdirSync(cwd);
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([expectedCode, ""]);
    expect(stderr).toContain(problem);
    expect(stderr.split("\n").length).toBeLessThan(6);
    expect(readdirSync(cwd)).toEqual(before);
  });

  test("never overwrites the session itself, whatever its name is", async () => {
    const file = join(cwd, "session-without-ending");
    writeFileSync(file, readFileSync(files.bbbb3333 as string));
    expect((await run(file, "session-without-ending")).stderr).toContain("is a session");
    expect(readFileSync(file, "utf8")).toBe(readFileSync(files.bbbb3333 as string, "utf8"));
  });

  test("appears in the help", async () => {
    const { stdout } = await runProgram(["--help"], { cwd, env: cleanEnvironment(home), command: source });
    expect(stdout).toMatch(/--export <session> \[file\]\s+.*page/);
    expect(stdout).toMatch(/--no-redact\s+export: /);
  });
});
