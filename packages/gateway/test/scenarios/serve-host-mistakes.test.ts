import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { LineClient } from "../support/line-client.ts";
import { ServeProgram } from "../support/serve-program.ts";

type Frame = Record<string, unknown>;

/** A host on the socket of a built server. */
async function started(args: readonly string[] = []) {
  const directory = scratchPath();
  const path = join(directory, "socket");
  const served = new ServeProgram({ args: ["--socket", path, ...args] });
  await served.told(/listening on/); // the file exists a moment earlier
  const host = await LineClient.connect(path);
  const ask = async (command: Frame) => {
    host.send(JSON.stringify(command));
    return host.next(({ type, id }) => type === "response" && id === command.id);
  };
  const { data } = await ask({ type: "open_session", id: "open", model: "pintle/offline" });
  const { sessionId } = data as { sessionId: string };
  return {
    host,
    ask,
    sessionId,
    async [Symbol.asyncDispose]() {
      host.close();
      await served[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Bytes of a frame with one that is not UTF-8 in its message. */
function damaged(frame: Frame): Uint8Array {
  const bytes = Buffer.from(JSON.stringify({ ...frame, message: "say #" }));
  bytes[bytes.indexOf("#")] = 0xff;
  return bytes;
}

const CODES = ["invalid_id", "invalid_utf8", "unknown_question", "answered_twice"] as const;

async function makeMistakes({ host, ask, sessionId }: Awaited<ReturnType<typeof started>>): Promise<void> {
  host.send(JSON.stringify({ type: "get_state", id: { a: 1 }, sessionId }));
  host.send(damaged({ type: "steer", id: "bytes", sessionId }));
  await host.next(({ id }) => id === "bytes");
  host.send(JSON.stringify({ type: "approval_response", id: "never", sessionId, decision: "deny" }));
  await ask({ type: "set_host_capabilities", id: "able", sessionId, approvals: true });
  await ask({ type: "set_permission_mode", id: "mode", sessionId, mode: "ask" });
  await ask({ type: "prompt", id: "go", sessionId, message: "write a.txt: hi" });
  const { id } = await host.next(({ type }) => type === "approval_request");
  const answer = JSON.stringify({ type: "approval_response", id, sessionId, decision: "deny" });
  host.send(answer);
  host.send(answer);
  await host.next(({ type }) => type === "agent_settled");
  await ask({ type: "get_state", id: "last", sessionId });
}

test("a host learns which of its frames the server could not use", async () => {
  await using server = await started();
  await makeMistakes(server);
  const { host, sessionId } = server;
  const notices = host.frames.filter(({ type, source }) => type === "notice" && source === "host");
  expect(notices.map(({ code }) => code).sort()).toEqual([...CODES].sort());
  expect(notices.find(({ code }) => code === "unknown_question")).toMatchObject({ requestId: "never", sessionId });
  const answered = host.frames.find(({ requestId, type }) => type === "response" && requestId === '{"a":1}');
  expect(answered).toMatchObject({ command: "get_state", success: true });
  expect(host.frames.find(({ id }) => id === "bytes")).toMatchObject({ success: true });
});

test("with --strict-host each of them is a failure, and so is a malformed answer", async () => {
  await using server = await started(["--strict-host"]);
  await makeMistakes(server);
  const { host, ask, sessionId } = server;
  const failures = host.frames.filter(({ type, success }) => type === "response" && success === false);
  expect(failures.map(({ code }) => code).sort()).toEqual([...CODES].sort());
  expect(failures.find(({ code }) => code === "invalid_id")).toMatchObject({
    command: "get_state",
    requestId: '{"a":1}',
  });
  expect(failures.find(({ code }) => code === "answered_twice")).toMatchObject({ command: "parse" });
  await ask({ type: "prompt", id: "again", sessionId, message: "write b.txt: hi" });
  const isSecond = ({ type, seq }: Frame) => type === "approval_request" && Number(seq) > 0;
  const first = host.frames.find(isSecond);
  const { id } = await host.next((frame) => isSecond(frame) && frame.id !== first?.id);
  host.send(JSON.stringify({ type: "approval_response", id, sessionId, decision: "maybe" }));
  expect(await host.next(({ requestId }) => requestId === id)).toMatchObject({
    type: "response",
    command: "parse",
    success: false,
    code: "invalid_answer",
  });
});

/** Replaces the open session. */
const OPENED = "opened";
/** Commands that the server executes itself, each with a field that it does not know. */
const MISSPELLED: readonly (readonly [Frame, string])[] = [
  [{ type: "open_session", setings: { "permissions.mode": "plan" } }, "setings is not a field of open_session"],
  [{ type: "attach_session", sessionId: OPENED, sinse: 3 }, "sinse is not a field of attach_session"],
  [{ type: "list_sessions", limt: 3 }, "limt is not a field of list_sessions"],
  [{ type: "set_host_capabilities", aprovals: true }, "aprovals is not a field of set_host_capabilities"],
];

const routed = (frame: Frame, sessionId: string, id: string): Frame => ({
  ...frame,
  ...(frame.sessionId === OPENED && { sessionId }),
  id,
});

test("a field that a command of the server does not know is reported, and with --strict-host refused", async () => {
  await using server = await started();
  for (const [index, [frame]] of MISSPELLED.entries())
    expect(await server.ask(routed(frame, server.sessionId, `m${index}`))).toMatchObject({ success: true });
  await server.ask({ type: "set_update_mode", id: "m3", sessionId: server.sessionId, mode: "full", odd: 1 });
  const notice = server.host.frames.find(({ code }) => code === "unknown_field");
  expect(notice).toMatchObject({ type: "notice", source: "host", requestId: "m0" });
  expect(notice?.message).toContain("setings is not a field of open_session, which has ");

  await using strict = await started(["--strict-host"]);
  for (const [index, [frame, reason]] of MISSPELLED.entries()) {
    const answer = await strict.ask(routed(frame, strict.sessionId, `s${index}`));
    expect(answer).toMatchObject({ command: frame.type, success: false, code: "unknown_field" });
    expect(answer.error).toContain(reason);
  }
  const mode = { type: "set_update_mode", id: "s3", sessionId: strict.sessionId, mode: "full", odd: 1 };
  expect(await strict.ask(mode)).toMatchObject({ success: false, code: "unknown_field" });
});

test("hosts cannot send commands that only the server sends to its engines", async () => {
  await using server = await started();
  const { host, ask, sessionId } = server;
  const internal = [
    { type: "confirm_lease", ms: 1 },
    { type: "store_prompts", prompts: [] },
  ];
  for (const [index, frame] of internal.entries()) {
    expect(await ask({ ...frame, id: `routed-${index}`, sessionId })).toMatchObject({ success: false });
    host.send(JSON.stringify({ ...frame, id: `plain-${index}` }));
    const answer = await host.next(({ id, requestId }) => (id ?? requestId) === `plain-${index}`);
    expect(answer).toMatchObject({ success: false });
  }
  // A lease of one millisecond would have ended the run.
  await ask({ type: "prompt", id: "go", sessionId, message: "say still here" });
  await host.next(({ type }) => type === "agent_settled");
  expect(host.frames.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "stop" });
});
