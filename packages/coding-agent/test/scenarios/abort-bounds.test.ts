import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Sends `abort_and_prompt` to the built program while something does not stop.

test("kills a command that ignores SIGTERM within the grace period of an abort, and keeps the order of events", async () => {
  using place = machine();
  await using rpc = await startRpc(["--permissions", "full"], place);
  const command = "trap '' TERM; echo started; while :; do sleep 0.1; done";
  await rpc.call("prompt", { message: `call bash ${JSON.stringify({ command })}` });
  await rpc.until(
    ({ type, partialResult }) => type === "tool_execution_update" && JSON.stringify(partialResult).includes("started"),
  );
  const from = rpc.frames.length;
  expect(await rpc.call("abort_and_prompt", { message: "help" })).toMatchObject({ success: true });
  await rpc.until(({ type }) => type === "agent_settled");
  const order = rpc.frames.slice(from).flatMap(({ type, id }) => {
    if (type === "response") return [`response ${id}`];
    return ["agent_start", "agent_settled"].includes(type) ? [type] : [];
  });
  expect(order).toEqual(["agent_settled", "response c2", "agent_start", "agent_settled"]);
  // It was killed, not left running.
  const ended = rpc.frames.find(({ type }) => type === "tool_execution_end");
  expect(JSON.stringify(ended)).not.toContain("did not stop");
});

test("abandons a tool that ignores its signal after the grace period of an abort, and the next run starts", async () => {
  using place = machine();
  const extension = join(place.cwd, "deaf.ts");
  writeFileSync(
    extension,
    `export default (pi) => pi.registerTool({ name: "deaf", label: "Deaf", description: "never ends",
      parameters: { type: "object", properties: {} }, execute: () => new Promise(() => {}) });`,
  );
  await using rpc = await startRpc(["--permissions", "full", "--extension", extension], place);
  await rpc.call("prompt", { message: "call deaf {}" });
  await rpc.until(({ type }) => type === "tool_execution_start");
  const from = rpc.frames.length;
  expect(await rpc.call("abort_and_prompt", { message: "help" })).toMatchObject({ success: true });
  await rpc.until(({ type }) => type === "agent_settled");
  const types = rpc.frames.slice(from).flatMap(({ type }) => (type.startsWith("agent_") ? [type] : []));
  expect(types).toEqual(["agent_end", "agent_settled", "agent_start", "agent_end", "agent_settled"]);
  const ended = rpc.frames.find(({ type }) => type === "tool_execution_end");
  expect(JSON.stringify(ended)).toContain("did not stop");
});

test("get_settings reports the grace period of an abort", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  const { settings } = (await rpc.call("get_settings")).data;
  expect(settings.find(({ key }: { key: string }) => key === "agent.abortGraceMs")).toMatchObject({ value: 1000 });
});
