import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runProgram } from "../support/program.ts";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

const LIBRARIAN = [...CHAT, "--no-session"];

test("a process without a session renames, deletes and restores those of others", async () => {
  await using chat = await chatPlace(says("one"), says("two"));
  await runProgram([...CHAT, "-p", "question one"], chat.place);
  await runProgram([...CHAT, "-p", "question two"], chat.place);
  await using rpc = await startRpc(LIBRARIAN, chat.place);
  const list = async (params: object = {}) => (await rpc.call("list_sessions", params)).data.sessions;
  const [, first] = await list();
  expect(first).toMatchObject({ firstMessage: "question one", cost: 0, status: "stored" });
  const { sessionId, sessionFile } = first;

  expect((await rpc.call("rename_session", { sessionId, name: "Called" })).data).toEqual({ sessionId, sessionFile });
  expect(await list({ query: "called" })).toMatchObject([{ sessionId, name: "Called" }]);
  await rpc.call("rename_session", { sessionPath: sessionFile, name: "Again" });
  expect(await list({ query: "again" })).toMatchObject([{ sessionId, name: "Again" }]);

  const content = readFileSync(sessionFile, "utf8");
  expect((await rpc.call("delete_session", { sessionId })).data).toEqual({ sessionId, sessionFile });
  expect(existsSync(sessionFile)).toBe(false);
  expect((await list()).map(({ firstMessage }: { firstMessage: string }) => firstMessage)).toEqual(["question two"]);
  expect(await list({ deleted: true })).toMatchObject([{ sessionId, name: "Again" }]);
  expect(await rpc.call("delete_session", { sessionId })).toMatchObject({ success: false, code: "not_found" });
  expect(await rpc.call("rename_session", { sessionId, name: "x" })).toMatchObject({ code: "not_found" });

  expect((await rpc.call("restore_session", { sessionId })).data).toEqual({ sessionId, sessionFile });
  expect(readFileSync(sessionFile, "utf8")).toBe(content);
  expect(await list({ deleted: true })).toEqual([]);
  expect(readdirSync(join(dirname(dirname(sessionFile)), ".trash"))).toEqual([]);
  expect((await rpc.call("switch_session", { sessionPath: sessionFile })).data).toEqual({ cancelled: false });
});

test("a session that another process has open is neither renamed nor deleted", async () => {
  await using chat = await chatPlace(says("one"));
  await using holder = await startRpc(CHAT, chat.place);
  await holder.prompt("mine");
  const { sessionId, sessionFile } = (await holder.call("get_state")).data;
  await using rpc = await startRpc(LIBRARIAN, chat.place);
  const refused = {
    success: false,
    code: "busy",
    error: `Session is in use by another process (pid ${holder.pid})`,
  };
  expect(await rpc.call("delete_session", { sessionId })).toMatchObject(refused);
  expect(await rpc.call("rename_session", { sessionId, name: "x" })).toMatchObject(refused);
  expect(existsSync(sessionFile)).toBe(true);
  await holder.end();
  expect(await rpc.call("delete_session", { sessionId })).toMatchObject({ success: true });
});

test("paths only open sessions inside the session directory, and ids cannot be paths", async () => {
  await using chat = await chatPlace(says("one"));
  await runProgram([...CHAT, "-p", "x"], chat.place);
  await using rpc = await startRpc(LIBRARIAN, chat.place);
  const [{ sessionFile }] = (await rpc.call("list_sessions")).data.sessions;
  const outside = join(chat.place.cwd, "copy.jsonl");
  writeFileSync(outside, readFileSync(sessionFile));
  for (const named of [{ sessionPath: outside }, { sessionPath: "copy.jsonl" }, { sessionId: "../../copy" }]) {
    expect(await rpc.call("delete_session", named)).toMatchObject({ success: false, code: "not_found" });
  }
  expect(existsSync(outside)).toBe(true);
});

test("an id that two files share selects neither of them", async () => {
  await using chat = await chatPlace(says("one"));
  await runProgram([...CHAT, "-p", "x"], chat.place);
  await using rpc = await startRpc(LIBRARIAN, chat.place);
  const [{ sessionId, sessionFile }] = (await rpc.call("list_sessions")).data.sessions;
  const copy = sessionFile.replace(/\.jsonl$/, "-2.jsonl");
  writeFileSync(copy, readFileSync(sessionFile));
  expect(await rpc.call("delete_session", { sessionId })).toMatchObject({ success: false, code: "invalid_request" });
  expect((await rpc.call("delete_session", { sessionPath: copy })).data).toEqual({ sessionId, sessionFile: copy });
  expect(existsSync(sessionFile)).toBe(true);
  writeFileSync(copy, "taken meanwhile\n");
  expect(await rpc.call("restore_session", { sessionId })).toMatchObject({ success: false, code: "busy" });
  expect(readFileSync(copy, "utf8")).toBe("taken meanwhile\n");
});

test("if nothing can be moved to the trash the session stays, and the host receives the reason", async () => {
  await using chat = await chatPlace(says("one"));
  await runProgram([...CHAT, "-p", "x"], chat.place);
  await using rpc = await startRpc(LIBRARIAN, chat.place);
  const [{ sessionId, sessionFile }] = (await rpc.call("list_sessions")).data.sessions;
  writeFileSync(join(dirname(dirname(sessionFile)), ".trash"), "");
  expect(await rpc.call("delete_session", { sessionId })).toMatchObject({
    success: false,
    error: expect.stringContaining("Cannot move"),
  });
  expect(existsSync(sessionFile)).toBe(true);
  // It is not locked either.
  expect(await rpc.call("switch_session", { sessionPath: sessionFile })).toMatchObject({ success: true });
});

test("ping is answered immediately while a run is active and a command runs", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  rpc.send({ id: "s", type: "bash", command: "sleep 600" });
  expect(await rpc.call("ping")).toMatchObject({ success: true, command: "ping" });
  await rpc.call("abort_bash");
  held.finish();
});

test("settings report where a value comes from, and no secret", async () => {
  await using chat = await chatPlace();
  const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
  const args = [...LIBRARIAN, "--set", "followUpMode=all", "--set", `shellCommandPrefix=export API_TOKEN=${key};`];
  await using rpc = await startRpc(args, chat.place);
  const answer = await rpc.call("get_settings");
  expect(JSON.stringify(answer)).not.toContain(key);
  expect(answer.data.settings).toContainEqual({
    key: "followUpMode",
    value: "all",
    source: "override",
    meaning: expect.any(String),
  });
});
