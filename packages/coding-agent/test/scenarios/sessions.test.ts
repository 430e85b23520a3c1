import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Finished, runProgram } from "../support/program.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine, readSession, sessionFiles } from "../support/scenarios/stored-sessions.ts";

/** Runs a prompt that must succeed; returns the current files. */
async function say(place: Machine, args: readonly string[], cwd = place.cwd): Promise<string[]> {
  const result = await runProgram([...args, "-p"], { ...place, cwd });
  expect({
    code: result.code,
    stderr: result.stderr.replace(/pintle: (No model is configured|session ).*\n/g, ""),
  }).toEqual({
    code: 0,
    stderr: "",
  });
  return sessionFiles(place.sessionDir);
}

async function fail(place: Machine, args: readonly string[]): Promise<Pick<Finished, "code" | "stderr">> {
  const before = sessionFiles(place.sessionDir);
  const { code, stdout, stderr } = await runProgram(args, place);
  expect({ stdout, files: sessionFiles(place.sessionDir) }).toEqual({ stdout: "", files: before });
  return { code, stderr };
}

test("a prompt creates one private file, in a directory named after the working directory", async () => {
  using place = machine();
  const [file = "", ...rest] = await say(place, ["hello"]);
  expect(rest).toEqual([]);
  expect(file).toMatch(/\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}\.jsonl$/);
  expect(file).toContain(`/sessions/--${place.cwd.slice(1).replaceAll("/", "-")}--/`);
  expect(readSession(file)).toEqual({ id: expect.any(String), cwd: place.cwd, prompts: ["hello"] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
});

test("--no-session writes nothing", async () => {
  using place = machine();
  expect(await say(place, ["--no-session", "hello"])).toEqual([]);
  expect(existsSync(join(place.root, ".pintle"))).toBe(false);
});

describe("--session", () => {
  test("opens by path, file name, id and id prefix", async () => {
    using place = machine();
    const [file = ""] = await say(place, ["one"]);
    const { id } = readSession(file);
    mkdirSync(join(place.root, "elsewhere"));
    const names = [file, `.pintle/sessions/${file.split("/").slice(-2).join("/")}`, id, id.slice(0, 20)];
    for (const name of names) expect(await say(place, ["--session", name, name])).toEqual([file]);
    expect(await say(place, ["--resume", id, "six"])).toEqual([file]);
    expect(readSession(file).prompts).toEqual(["one", ...names, "six"]);
  });

  test("rejects an unknown, ambiguous or invalid session", async () => {
    using place = machine();
    for (const id of ["abc-1", "abc-2"]) await say(place, ["--session-id", id, "hello"]);
    writeFileSync(join(place.root, "bad.jsonl"), "not a session\n");
    expect(await fail(place, ["--session", "abc-", "-p", "x"])).toEqual({
      code: 2,
      stderr: [
        'pintle: "abc-" can be 2 sessions; give more of the id of one:',
        `  abc-2  ${place.cwd}  hello`,
        `  abc-1  ${place.cwd}  hello\n`,
      ].join("\n"),
    });
    expect(await fail(place, ["--session", "nonsense", "-p", "x"])).toEqual({
      code: 2,
      stderr: "pintle: Session not found: nonsense\n",
    });
    expect(await fail(place, ["--resume", "./missing.jsonl", "-p", "x"])).toEqual({
      code: 1,
      stderr: `pintle: Session file not found: ${place.root}/missing.jsonl\n`,
    });
    expect(await fail(place, ["--session", "bad.jsonl", "-p", "x"])).toEqual({
      code: 1,
      stderr: `pintle: Cannot open session "${place.root}/bad.jsonl": header is missing or malformed\n`,
    });
    expect(readFileSync(join(place.root, "bad.jsonl"), "utf8")).toBe("not a session\n");
    expect(await fail(place, ["--resume"])).toMatchObject({ code: 2 });
  });

  test("also accepts a name, and prefers this directory's session if several have it", async () => {
    using place = machine();
    const [first = "", second = ""] = ["one", "two"].map((name) => join(place.root, name));
    for (const directory of [first, second]) mkdirSync(directory);
    await say(place, ["--name", "Fix the parser", "hello"], first);
    await say(place, ["--name", "fix the parser", "hello"], second);
    await say(place, ["--session", "Fix The Parser", "again"], second);
    const told = sessionFiles(place.sessionDir).map((file) => readSession(file));
    const byCwd = Object.fromEntries(told.map(({ cwd, prompts }) => [cwd, prompts]));
    expect(byCwd).toEqual({ [first]: ["hello"], [second]: ["hello", "again"] });
    const { code, stderr } = await fail(place, ["--fork", "fix the parser", "-p", "x"]);
    expect([code, stderr.split("\n").length, stderr]).toEqual([2, 4, expect.stringContaining(first)]);
    for (const { id } of told) expect(stderr).toContain(id);
  });

  test("prefers an exact id over a longer id that starts with it", async () => {
    using place = machine();
    await say(place, ["--session-id", "abc", "one"]);
    await say(place, ["--session-id", "abcd", "two"]);
    const files = await say(place, ["--session", "abc", "three"]);
    expect(files.map((file) => readSession(file).prompts)).toEqual([["one", "three"], ["two"]]);
  });
});

describe("--continue", () => {
  test("continues the newest session of this directory only, even if two share a folder", async () => {
    using place = machine();
    const [here, there] = [join(place.root, "a-b/c"), join(place.root, "a/b-c")];
    for (const directory of [here, there]) mkdirSync(directory, { recursive: true });
    await say(place, ["old"], here);
    await say(place, ["new"], here);
    const files = await say(place, ["other"], there);
    expect(new Set(files.map((file) => file.replace(/[^/]+$/, ""))).size).toBe(1);
    // The most recently written session wins, not the most recently started one.
    const [old = "", recent = ""] = files;
    utimesSync(old, 1_000_000, 1_000_000);
    utimesSync(recent, 2_000_000, 2_000_000);
    await say(place, ["--continue", "again"], here);
    utimesSync(old, 4_000_000_000, 4_000_000_000);
    await say(place, ["-c", "once more"], here);
    expect(files.map((file) => readSession(file).prompts)).toEqual([["old", "once more"], ["new", "again"], ["other"]]);
    expect(sessionFiles(place.sessionDir)).toEqual(files);
  });

  test("starts a new session where there is none", async () => {
    using place = machine();
    const [file = ""] = await say(place, ["--continue", "hello"]);
    expect(readSession(file).prompts).toEqual(["hello"]);
  });
});

describe("--session-id", () => {
  test("creates a session with that id, and opens it the next time, in this directory only", async () => {
    using place = machine();
    const other = join(place.root, "other");
    mkdirSync(other);
    await say(place, ["--session-id", "build.7_x-1", "one"]);
    await say(place, ["--session-id", "build.7_x-1", "two"]);
    const files = await say(place, ["--session-id", "build.7_x-1", "three"], other);
    expect(files.map(readSession).sort((a, b) => a.cwd.length - b.cwd.length)).toEqual([
      { id: "build.7_x-1", cwd: place.cwd, prompts: ["one", "two"] },
      { id: "build.7_x-1", cwd: other, prompts: ["three"] },
    ]);
  });

  test("finds a session that has only a name", async () => {
    using place = machine();
    const env = { ...place.env };
    // The prompt fails because there is no key, after the name was stored.
    await runProgram(["--session-id", "s1", "--name", "mine", "--model", "anthropic/claude-opus-5-5", "-p", "x"], {
      cwd: place.cwd,
      env,
    });
    const files = await say(place, ["--session-id", "s1", "--model", "pintle/offline", "one"]);
    expect(files.map(readSession)).toEqual([{ id: "s1", cwd: place.cwd, name: "mine", prompts: ["one"] }]);
  });

  test.each([["", "needs a value"], ...["-x", "a/b", "x.", "ä", "a b"].map((id) => [id, `not "${id}"`])] as [
    string,
    string,
  ][])("rejects the id %j", async (id, reason) => {
    using place = machine();
    const { code, stderr } = await fail(place, [`--session-id=${id}`, "-p", "x"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
  });

  test.each(["--session=abc", "--resume=abc", "--continue"])(
    "together with %s is a usage error, also in RPC mode",
    async (flag) => {
      using place = machine();
      const args = [flag, "--session-id", "x"];
      const usage = await fail(place, [...args, "-p", "x"]);
      expect(usage).toEqual({ code: 2, stderr: expect.stringContaining("cannot be used together") });
      expect(await fail(place, ["--mode", "rpc", ...args])).toEqual(usage);
    },
  );
});

describe("--fork and --name", () => {
  test("a fork is a copy that names its parent, and the original stays unchanged", async () => {
    using place = machine();
    const [file = ""] = await say(place, ["--name", "first name", "one"]);
    const before = readFileSync(file, "utf8");
    for (const name of [file, readSession(file).id.slice(0, 20)]) await say(place, ["--fork", name, "two"]);
    const copies = sessionFiles(place.sessionDir).filter((path) => path !== file);
    const copy = { cwd: place.cwd, parentSession: file, name: "first name", prompts: ["one", "two"] };
    expect(copies.map(readSession)).toEqual([
      { ...copy, id: expect.any(String) },
      { ...copy, id: expect.any(String) },
    ]);
    expect(new Set([file, ...copies].map((path) => readSession(path).id)).size).toBe(3);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("a fork may end before a user message, and before nothing else", async () => {
    using place = machine();
    const [file = ""] = await say(place, ["one"]);
    await say(place, ["--session", file, "two"]);
    const entries = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; message?: { role: string } });
    const second = entries.filter(({ message }) => message?.role === "user")[1]!;
    await say(place, ["--fork", file, "--fork-before", second.id, "other"]);
    const [copy = ""] = sessionFiles(place.sessionDir).filter((path) => path !== file);
    expect(readSession(copy)).toMatchObject({ parentSession: file, prompts: ["one", "other"] });
    expect(await fail(place, ["--fork", file, "--fork-before", "nowhere", "-p", "x"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Invalid entry ID for branching"),
    });
  });

  test("a name is sanitized, may be set later, and must not be empty", async () => {
    using place = machine();
    const [file = ""] = await say(place, ["--name", "  my \t session ", "one"]);
    expect(readSession(file).name).toBe("my session");
    await say(place, ["--continue", "--name=other", "two"]);
    expect(readSession(file)).toMatchObject({ name: "other", prompts: ["one", "two"] });
    expect(await fail(place, ["--name", " ", "-p", "x"])).toEqual({
      code: 2,
      stderr: "pintle: Session name cannot be empty\n",
    });
  });
});

describe("the session directory", () => {
  test("--session-dir overrides PINTLE_SESSION_DIR, which overrides the setting, which overrides the home", async () => {
    using place = machine();
    const home = join(place.root, ".pintle");
    mkdirSync(home);
    const settings = join(home, "settings.json");
    writeFileSync(settings, JSON.stringify({ sessionDir: join(place.root, "set") }));
    const env = { ...place.env, PINTLE_SESSION_DIR: join(place.root, "env") };
    await runProgram(["--session-dir", "flag", "-p", "x"], { cwd: place.cwd, env });
    await runProgram(["-p", "x"], { cwd: place.cwd, env });
    await runProgram(["-p", "x"], place);
    await runProgram(["--set", "sessionDir=given", "-p", "x"], place);
    writeFileSync(settings, JSON.stringify({ sessionDir: "relative" }));
    await runProgram(["-p", "x"], place);
    const counts = ["flag", "env", "set", "given", ".pintle/relative", ".pintle/sessions"].map((name) => [
      name,
      sessionFiles(join(place.root, name)).length,
    ]);
    expect(counts).toEqual([
      ["flag", 1],
      ["env", 1],
      ["set", 1],
      ["given", 1],
      [".pintle/relative", 1],
      [".pintle/sessions", 0],
    ]);
  });

  test("sessions in a custom directory are found there, and not at home", async () => {
    using place = machine();
    await say(place, ["at home"]);
    await runProgram(["--session-dir", "d", "-p", "one"], place);
    await runProgram(["--session-dir", "d", "--continue", "-p", "two"], place);
    expect(sessionFiles(join(place.root, "d")).map((file) => readSession(file).prompts)).toEqual([["one", "two"]]);
    expect(sessionFiles(place.sessionDir)).toHaveLength(1);
  });
});

test("a malformed file among the sessions does not hide the others", async () => {
  using place = machine();
  await say(place, ["--session-id", "mine", "first question"]);
  const [mine = ""] = sessionFiles(place.sessionDir);
  const odd = { toString: 1 };
  const lines = [
    { type: "session", version: 3, id: "odd\u001b[2J", timestamp: odd, cwd: odd, parentSession: odd, title: odd },
    { type: "message", id: "a", parentId: null, message: { role: "user", content: [{ type: "text", text: odd }] } },
    { type: "session_info", id: "b", parentId: "a", name: odd },
  ];
  writeFileSync(
    join(dirname(mine), "2030-01-01T00-00-00-000Z_odd.jsonl"),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  const { code, stdout, stderr } = await runProgram(["sessions", "--all"], place);
  expect([code, stderr, stdout.includes("\u001b")]).toEqual([0, "", false]);
  expect(stdout).toContain("first question");
  expect((await runProgram(["-c", "-p", "help"], place)).code).toBe(0);
  expect((await runProgram(["--export", "odd", "page.html"], place)).code).toBe(0);
  await using rpc = await startRpc([], place);
  const { sessions } = (await rpc.call("list_sessions")).data;
  expect(sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toContain("mine");
});

describe("pintle sessions", () => {
  const table = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));

  test("lists the sessions of this directory, newest first, by unique ids", async () => {
    using place = machine();
    const elsewhere = join(place.root, "elsewhere");
    mkdirSync(elsewhere);
    await say(place, ["--session-id", "01234567-a", "first question"]);
    await say(place, ["--session-id", "01234567-b", "--name", "Second", "hello"]);
    await say(place, ["--session-id", "76543210-c", "third"], elsewhere);
    for (const [at, file] of sessionFiles(place.sessionDir).entries()) utimesSync(file, 1000 + at, 1000 + at);
    const { code, stdout, stderr } = await runProgram(["sessions"], place);
    expect([code, stderr]).toEqual([0, ""]);
    const age = expect.stringMatching(/^\d+ d$/);
    const head = ["id", "age", "messages", "name or first message", "directory"];
    expect(table(stdout)).toEqual([
      head,
      ["01234567-b", age, "2", "Second", "~"],
      ["01234567-a", age, "2", "first question", "~"],
    ]);
    const all = await runProgram(["sessions", "--all", "THIRD"], place);
    expect(table(all.stdout)).toEqual([head, ["76543210", age, "2", "third", "~/elsewhere"]]);
    const json = await runProgram(["sessions", "--json", "--limit", "1"], place);
    expect(JSON.parse(json.stdout)).toEqual([
      {
        id: "01234567-b",
        name: "Second",
        firstMessage: "hello",
        messageCount: 2,
        cost: 0,
        cwd: place.cwd,
        createdAt: expect.any(String),
        updatedAt: "1970-01-01T00:16:41.000Z",
        path: expect.any(String),
      },
    ]);
    const cut = await runProgram(["sessions", "--limit=1"], place);
    expect([table(cut.stdout).length, cut.stderr]).toEqual([2, expect.stringContaining("--limit 0")]);
  });

  test("reports an empty list and errors", async () => {
    using place = machine();
    expect(await runProgram(["sessions"], place)).toEqual({
      code: 0,
      stdout: "",
      stderr: "pintle: no session in this directory matches; --all searches all directories\n",
    });
    expect((await runProgram(["sessions", "--json"], place)).stdout).toBe("[]\n");
    expect((await runProgram(["sessions", "--limit", "some"], place)).code).toBe(2);
    expect(existsSync(join(place.root, ".pintle"))).toBe(false);
  });
});
