import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { runProgram } from "../support/program.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine, readSession, sessionFiles } from "../support/scenarios/stored-sessions.ts";

const lockOf = (path: string) => join(dirname(path), `.${basename(path)}.lock`);

test("a second process is rejected with the first one's pid, at startup and in a switch, and may still copy the session", async () => {
  using place = machine();
  await using first = await startRpc([], place);
  await first.prompt("one");
  const [file = ""] = sessionFiles(place.sessionDir);
  const before = readFileSync(file, "utf8");
  const refusal = `Session is in use by another process (pid ${first.pid})`;

  for (const args of [["--continue"], ["--session", file], ["--session", readSession(file).id.slice(0, 13)]]) {
    const refused = await runProgram([...args, "-p", "two"], place);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(refusal);
  }
  await using second = await startRpc([], place);
  expect(await second.call("switch_session", { sessionPath: file })).toMatchObject({ success: false, error: refusal });
  const copied = await runProgram(["--fork", file, "-p", "three"], place);
  expect(copied.code).toBe(0);
  const copy = sessionFiles(place.sessionDir).find((path) => path !== file) as string;
  expect(readSession(copy)).toMatchObject({ parentSession: file, prompts: ["one", "three"] });

  expect(readFileSync(file, "utf8")).toBe(before);
  await first.prompt("four");
  expect(readSession(file).prompts).toEqual(["one", "four"]);
});

test("the second process may open the session when the first one has ended or left it", async () => {
  using place = machine();
  await using first = await startRpc([], place);
  await first.prompt("one");
  const [file = ""] = sessionFiles(place.sessionDir);
  await first.call("new_session");
  await using second = await startRpc(["--session", file], place);
  await second.prompt("two");
  expect(await first.call("switch_session", { sessionPath: file })).toMatchObject({
    error: `Session is in use by another process (pid ${second.pid})`,
  });
  expect(await second.end()).toBe(0);
  expect(await first.call("switch_session", { sessionPath: file })).toMatchObject({ success: true });
  await first.prompt("three");
  expect(readSession(file).prompts).toEqual(["one", "two", "three"]);
  expect(await first.end()).toBe(0);
  expect(existsSync(lockOf(file))).toBe(false);
});

test("after kill -9 the next start works immediately", async () => {
  using place = machine();
  await using first = await startRpc([], place);
  await first.prompt("one");
  const [file = ""] = sessionFiles(place.sessionDir);
  await first.kill("SIGKILL");
  expect(existsSync(lockOf(file))).toBe(true);
  const next = await runProgram(["--continue", "-p", "two"], place);
  expect(next.code).toBe(0);
  expect(readSession(file).prompts).toEqual(["one", "two"]);
  expect(existsSync(lockOf(file))).toBe(false);
});

test("takes over the lock of a dead process, but not one of another machine", async () => {
  using place = machine();
  await runProgram(["-p", "one"], place);
  const [file = ""] = sessionFiles(place.sessionDir);
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  const lock = { pid: gone.pid, host: hostname(), startedAt: new Date().toISOString(), token: "abcdef" };

  writeFileSync(lockOf(file), JSON.stringify({ ...lock, host: "elsewhere" }));
  const refused = await runProgram(["--continue", "-p", "two"], place);
  expect({ code: refused.code, namesHolder: refused.stderr.includes(`(pid ${gone.pid})`) }).toEqual({
    code: 1,
    namesHolder: true,
  });

  writeFileSync(lockOf(file), JSON.stringify(lock));
  expect((await runProgram(["--continue", "-p", "three"], place)).code).toBe(0);
  expect(readSession(file).prompts).toEqual(["one", "three"]);
});

test("if another program writes to the file, the session continues in a new complete file and reports it once", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  await rpc.prompt("one");
  const [file = ""] = sessionFiles(place.sessionDir);
  const foreign = `${JSON.stringify({ type: "custom", id: "f0f0f0f0", parentId: null, timestamp: "", customType: "x" })}\n`;
  appendFileSync(file, foreign);
  const withForeign = readFileSync(file, "utf8");

  await rpc.prompt("two");
  await rpc.prompt("three");
  const state = await rpc.call("get_state");
  const next = state.data.sessionFile as string;
  expect(next).not.toBe(file);
  expect(readFileSync(file, "utf8")).toBe(withForeign);
  expect(readSession(next)).toMatchObject({
    id: state.data.sessionId,
    parentSession: file,
    prompts: ["one", "two", "three"],
  });
  const notices = rpc.frames.filter(({ type, source }) => type === "notice" && source === "session");
  expect(notices.map(({ level, message }) => [level, message])).toEqual([
    ["warning", `Session file ${file} was changed by another process. This conversation continues in ${next}.`],
  ]);
  expect(await rpc.end()).toBe(0);
  expect(readSession(next).prompts).toEqual(["one", "two", "three"]);
});
