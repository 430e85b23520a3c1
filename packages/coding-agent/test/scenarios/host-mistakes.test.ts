import { expect, test } from "bun:test";
import { RpcClient } from "@pintle/client";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { program } from "../support/program.ts";
import { checkServerFrame } from "../support/protocol-checker.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Makes the mistakes that hosts make, with and without `--strict-host`, against the built program.

const notices = ({ frames }: RpcChild) =>
  frames
    .filter(({ type, source }) => type === "notice" && source === "host")
    .map(({ code, requestId }) => [code, requestId]);
const faults = ({ frames }: RpcChild) =>
  frames.filter(({ command }) => command === "parse").map(({ code, requestId, success }) => [code, requestId, success]);
const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

test("reports a field that a command does not have, and suggests the intended one", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  expect(await rpc.call("set_session_name", { name: "x", nmae: "y", unset: null })).toMatchObject({ success: true });
  expect(notices(rpc)).toEqual([["unknown_field", "c1"]]);
  expect(rpc.frames.find(({ source }) => source === "host")?.message).toBe(
    "Mistake of the host: nmae is not a field of set_session_name; did you mean name?",
  );

  await using strict = await startRpc(["--strict-host"], place);
  expect(await strict.call("set_session_name", { name: "x", nmae: "y" })).toMatchObject({
    success: false,
    code: "unknown_field",
    error: "Invalid set_session_name: nmae is not a field of set_session_name; did you mean name?",
  });
  expect((await strict.call("get_state")).data.sessionName).toBeUndefined();
  expect(
    await strict.call("prompt", {
      message: "hi",
      images: [{ type: "image", data: "AA==", mimeType: "image/png", alt: "x" }],
    }),
  ).toMatchObject({
    code: "unknown_field",
    error: "Invalid prompt: images[0].alt is not a field of prompt",
  });
});

test("returns an id that is not a string as JSON text, and a number unchanged", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  const answer = async (id: unknown) => {
    rpc.send({ type: "ping", id });
    return rpc.until((frame) => frame.type === "response" && frame.command === "ping");
  };
  const base = { type: "response", command: "ping", success: true };
  expect(await answer({ a: [1] })).toEqual({ ...base, requestId: '{"a":[1]}' });
  expect(await answer(true)).toEqual({ ...base, requestId: "true" });
  expect(await answer(7)).toEqual({ ...base, id: 7 });
  expect(await answer(null)).toEqual(base);
  expect(notices(rpc)).toEqual([["invalid_id", '{"a":[1]}']]);
  rpc.send({ type: "no_such_command", id: [1] });
  expect(await rpc.until(({ command }) => command === "no_such_command")).toMatchObject({ requestId: "[1]" });
  await rpc.end();
  expect(notices(rpc)).toEqual([
    ["invalid_id", '{"a":[1]}'],
    ["invalid_id", "true"],
  ]);

  await using strict = await startRpc(["--strict-host"], place);
  strict.send({ type: "ping", id: [2] });
  expect(await strict.until(({ command }) => command === "ping")).toMatchObject({
    success: false,
    code: "invalid_id",
    requestId: "[2]",
  });
});

test("reports bytes that are not UTF-8, but not a U+FFFD sent by the host", async () => {
  using place = machine();
  for (const args of [[], ["--strict-host"]]) {
    await using rpc = await startRpc(args, place);
    expect(await rpc.call("set_session_name", { name: "\uFFFD" })).toMatchObject({ success: true });
    rpc.sendLine(bytes('{"id":"u","type":"set_session_name","name":"', [0xc3, 0x28], '"}'));
    const response = await rpc.until(({ id }) => id === "u");
    if (args.length > 0) expect(response).toMatchObject({ success: false, code: "invalid_utf8" });
    else expect([response.success, notices(rpc)]).toEqual([true, [["invalid_utf8", "u"]]]);
  }
});

test("the TypeScript client enables it with strictHost", async () => {
  using place = machine();
  await using client = new RpcClient({ command: [program], cwd: place.cwd, env: place.env, strictHost: true });
  await client.start();
  expect(await rejection(client.request({ type: "ping", extra: 1 }))).toMatchObject({ code: "unknown_field" });
  await client.request({ type: "ping" });
});

/** A run that is waiting for the host's tool `look`. */
async function calling(rpc: RpcChild): Promise<Frame> {
  await rpc.call("set_host_tools", { tools: [{ name: "look", description: "d", parameters: { type: "object" } }] });
  await rpc.call("prompt", { message: "call look {}" });
  return rpc.until(({ type }) => type === "host_tool_call");
}
const result = { content: [{ type: "text", text: "seen" }] };

test.each([[[]], [["--strict-host"]]])("reports invalid tool results with the flags %j", async (args) => {
  using place = machine();
  await using rpc = await startRpc(args, place);
  const { id } = await calling(rpc);
  rpc.send(
    { type: "host_tool_update", id: "host_99", partialResult: result },
    { type: "host_tool_update", id, partialResult: { content: "text" } },
    { type: "host_tool_result", id: 5, result },
    { type: "host_tool_result", id, result: { text: "no content" } },
    { type: "host_tool_result", id, result },
  );
  await rpc.until(({ type }) => type === "agent_settled");
  const ended = rpc.frames.find(({ type }) => type === "tool_execution_end");
  expect(ended).toMatchObject({
    isError: true,
    result: { content: [{ text: 'Host tool "look" returned an invalid result' }] },
  });
  expect(await rpc.call("ping")).toMatchObject({ success: true });
  expect(await rpc.end()).toBe(0);
  const mistakes = [
    ["unknown_question", "host_99"],
    ["invalid_answer", id],
    ["invalid_id", 5],
  ];
  if (args.length === 0) {
    expect(notices(rpc)).toEqual([...mistakes, ["answered_twice", id], ["invalid_answer", id]]);
    expect(faults(rpc)).toEqual([]);
  } else {
    expect(faults(rpc)).toEqual(
      [...mistakes, ["invalid_answer", id], ["answered_twice", id]].map((mistake) => [...mistake, false]),
    );
    expect(notices(rpc)).toEqual([]);
  }
});

test("reports an answer after the end of its call as late", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  const { id } = await calling(rpc);
  await rpc.call("abort");
  rpc.send({ type: "host_tool_result", id, result });
  await rpc.call("ping");
  expect(rpc.frames.find(({ source }) => source === "host")).toMatchObject({
    code: "answered_late",
    level: "info",
    requestId: id,
  });
});

test("sends pi clients no unknown frame, and writes the notice to stderr", async () => {
  using place = machine();
  await using rpc = await startRpc([], { ...place, dialect: "pi" });
  await rpc.call("set_session_name", { name: "x", extra: 1 });
  await rpc.end();
  expect(rpc.frames.filter(({ type }) => type === "notice")).toEqual([]);
  expect(rpc.frames.flatMap((frame) => checkServerFrame(frame, "pi"))).toEqual([]);
  expect(await rpc.stderr()).toContain("extra is not a field of set_session_name");
});
