import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

// Reads as clients of oh-my-pi do: lines of at most a mebibyte, longer frames assembled from chunks, the name and the
// configuration from separate events.

const MEBIBYTE = 1024 * 1024;
const omp = (place: Awaited<ReturnType<typeof chatPlace>>["place"]) => ({ ...place, dialect: "omp" as const });

/** Assembles frames from chunks, and fails where a client of oh-my-pi does. */
function reassemble(lines: readonly Frame[]): Frame[] {
  const frames: Frame[] = [];
  let open: { chunkId: string; count: number; byteLength: number; parts: Buffer[] } | undefined;
  for (const line of lines) {
    if (line.type !== "rpc_chunk") {
      expect(open).toBeUndefined();
      frames.push(line);
      continue;
    }
    open ??= { chunkId: line.chunkId, count: line.count, byteLength: line.byteLength, parts: [] };
    expect(line).toMatchObject({ chunkId: open.chunkId, count: open.count, index: open.parts.length });
    expect(open.byteLength).toBeGreaterThanOrEqual(MEBIBYTE);
    const bytes = Buffer.from(line.data, "base64");
    expect(bytes.byteLength).toBeLessThanOrEqual(256 * 1024);
    open.parts.push(bytes);
    if (open.parts.length < open.count) continue;
    const whole = Buffer.concat(open.parts);
    expect(whole.byteLength).toBe(open.byteLength);
    frames.push(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(whole)));
    open = undefined;
  }
  expect(open).toBeUndefined();
  return frames;
}

describe("protocol version 2", () => {
  test("is offered with the limits that clients demand, and carries long frames in chunks", async () => {
    const text = "ä€😀 ".repeat(300_000);
    await using chat = await chatPlace(says(text));
    await using rpc = await startRpc(CHAT, omp(chat.place));
    expect(rpc.frames[0]).toMatchObject({
      type: "ready",
      protocolVersion: 1,
      supportedProtocolVersions: [1, 2],
      maxFrameBytes: MEBIBYTE,
      maxReassembledFrameBytes: 64 * MEBIBYTE,
    });
    expect((await rpc.call("negotiate_protocol", { protocolVersion: 2 })).data).toEqual({ protocolVersion: 2 });
    await rpc.prompt("go");
    for (const line of rpc.frames) expect(Buffer.byteLength(JSON.stringify(line)) + 1).toBeLessThanOrEqual(MEBIBYTE);
    const frames = reassemble(rpc.frames);
    const end = frames.findLast(({ type, message }) => type === "message_end" && message.role === "assistant");
    expect(end?.message.content[0].text === text).toBe(true);
    expect(rpc.frames.some(({ type }) => type === "rpc_chunk")).toBe(true);
  });

  test("is used only if negotiated, and only in this dialect", async () => {
    await using chat = await chatPlace(says("x".repeat(2 * MEBIBYTE)));
    await using rpc = await startRpc(CHAT, chat.place);
    expect(rpc.frames[0]).toMatchObject({ supportedProtocolVersions: [1] });
    expect((await rpc.call("negotiate_protocol", { protocolVersion: 2 })).data).toEqual({ protocolVersion: 1 });
    await rpc.prompt("go");
    expect(rpc.frames.some(({ type }) => type === "rpc_chunk")).toBe(false);
  });
});

test("the name and the configuration have separate events", async () => {
  await using chat = await chatPlace();
  await using rpc = await startRpc(CHAT, omp(chat.place));
  const { sessionId } = (await rpc.call("get_state")).data;
  await rpc.call("set_session_name", { name: "A name" });
  expect(await rpc.until(({ type }) => type === "session_info_update")).toEqual({
    type: "session_info_update",
    title: "A name",
    sessionId,
  });
  await rpc.call("set_model", { provider: "local", modelId: "thinker" });
  expect(await rpc.until(({ type }) => type === "config_update")).toMatchObject({
    model: { provider: "local", id: "thinker" },
    thinkingLevel: expect.any(String),
  });
  await rpc.call("set_thinking_level", { level: "high" });
  const update = await rpc.until(({ type, thinkingLevel }) => type === "config_update" && thinkingLevel === "high");
  expect(update).toMatchObject({ model: { id: "thinker" } });
});

test("open_session resumes the newest session of a directory, or starts one there", async () => {
  await using chat = await chatPlace(says("one"), says("two"));
  await using rpc = await startRpc(CHAT, omp(chat.place));
  const directory = join(chat.place.cwd, "sessions of a host");
  const first = (await rpc.call("open_session", { sessionDir: directory })).data;
  expect(first).toMatchObject({ cancelled: false, resumed: false, sessionFile: expect.stringContaining(directory) });
  await rpc.prompt("hello");
  await rpc.call("new_session", {});
  expect((await rpc.call("open_session", { sessionDir: directory })).data).toEqual({ ...first, resumed: true });
  await rpc.prompt("again");
  expect(JSON.stringify(chat.server.requests[1]?.body.messages)).toContain("hello");
  writeFileSync(join(chat.place.cwd, "a file"), "");
  expect(await rpc.call("open_session", { sessionDir: "a file" })).toMatchObject({ success: false });
  mkdirSync(join(chat.place.cwd, "odd"));
  writeFileSync(join(chat.place.cwd, "odd", "x.jsonl"), "no session\n");
  expect(await rpc.call("open_session", { sessionDir: "odd" })).toMatchObject({ success: false });
  expect((await rpc.call("get_state")).data.sessionId).toBe(first.sessionId);
});

test("handoff continues from a summary in the same session", async () => {
  await using chat = await chatPlace(says("one"), says("a summary of it"), says("three"));
  await using rpc = await startRpc(CHAT, omp(chat.place));
  const { sessionId } = (await rpc.call("get_state")).data;
  await rpc.prompt("hello");
  expect(await rpc.call("handoff", { customInstructions: "briefly" })).toMatchObject({ success: true, data: {} });
  await rpc.prompt("go on");
  expect((await rpc.call("get_state")).data.sessionId).toBe(sessionId);
  expect(JSON.stringify(chat.server.requests.at(-1)?.body.messages)).toContain("a summary of it");
});

describe("URIs of the host", () => {
  const SCHEMES = [{ scheme: "db", writable: true }, { scheme: "Log" }, { scheme: "https" }];
  const read = (path: string) => ({ name: "read", args: { path } });
  const write = (path: string) => ({ name: "write", args: { path, content: "new" } });
  const isUri = ({ type }: Frame) => type === "host_uri_request";
  const results = (frames: readonly Frame[]) =>
    frames
      .filter(({ type }) => type === "tool_execution_end")
      .map(({ isError, result }) => [isError, result.content[0].text]);

  test("are read and written by the host if it declares their schemes", async () => {
    const calls = [read("db://table/1"), write("db://table/1"), read("log://today"), write("log://today")];
    await using chat = await chatPlace(...calls.map((call) => callsTools(call)), says("done"));
    await using rpc = await startRpc(CHAT, omp(chat.place));
    const set = await rpc.call("set_host_uri_schemes", { schemes: SCHEMES });
    expect(set.data).toEqual({ schemes: ["db", "log"] });
    await rpc.call("prompt", { message: "go" });
    const answers = [{ content: "a row" }, {}, { isError: true, error: "rotated" }];
    const urls: unknown[] = [];
    for (const answer of answers) {
      const { id, type: _type, ...asked } = await rpc.until(isUri);
      urls.push(asked);
      rpc.send({ type: "host_uri_result", id, ...answer });
    }
    await rpc.until(({ type }) => type === "session_settled");
    expect(urls).toEqual([
      { operation: "read", url: "db://table/1" },
      { operation: "write", url: "db://table/1", content: "new" },
      { operation: "read", url: "log://today" },
    ]);
    expect(results(rpc.frames)).toEqual([
      [false, "a row"],
      [false, "Wrote 3 bytes to db://table/1."],
      [true, "log://today: rotated"],
      [true, "log://today cannot be written: the host declares log:// as read-only."],
    ]);
  });

  test("are subject to permissions, and a request is cancelled with the run", async () => {
    await using chat = await chatPlace(callsTools(write("db://x")), callsTools(read("db://y")));
    await using rpc = await startRpc([...CHAT, "--permissions", "ask"], omp(chat.place));
    await rpc.call("set_host_uri_schemes", { schemes: SCHEMES });
    await rpc.call("prompt", { message: "go" });
    const question = await rpc.until(({ type }) => type === "extension_ui_request");
    expect(question.title).toStartWith("Allow tool: write\n");
    rpc.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    const reading = await rpc.until(({ type }) => type === "extension_ui_request");
    expect(reading.title).toStartWith("Allow tool: read\n");
    rpc.send({ type: "extension_ui_response", id: reading.id, value: "Approve" });
    const request = await rpc.until(isUri);
    expect(request).toMatchObject({ operation: "read", url: "db://y" });
    rpc.send({ type: "abort" });
    expect(await rpc.until(({ type }) => type === "host_uri_cancel")).toMatchObject({ targetId: request.id });
    await rpc.until(({ type }) => type === "session_settled");
  });

  test("are not accepted in the default dialect", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, chat.place);
    expect((await rpc.call("set_host_uri_schemes", { schemes: SCHEMES })).data).toEqual({
      schemes: [],
      notSupported: expect.any(String),
    });
  });
});
