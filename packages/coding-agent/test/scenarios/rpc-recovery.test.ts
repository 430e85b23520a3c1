import { expect, test } from "bun:test";
import { grammarViolations } from "@pintle/agent/testing";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

const QUICK = [...CHAT, "--set", "retry.baseDelayMs=20"];
const fails = (status: number, message: string) => sendStatus(status, JSON.stringify({ error: { message } }));

// At most one recovery happens between two turns, however the error could be interpreted.
test.each([
  [500, "maximum context length is 10 tokens"],
  [400, "maximum context length is 10 tokens"],
  [503, "overloaded"],
  [429, "slow down"],
  [401, "who are you"],
])("HTTP %i %s: the stream of events follows the grammar", async (status, message) => {
  await using chat = await chatPlace(says("hi"), fails(status, message), says("again"));
  await using rpc = await startRpc(QUICK, chat.place);
  await rpc.prompt("one");
  await rpc.prompt("two");
  expect(await rpc.end()).toBe(0);
  expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
});

test("abort_retry ends the wait and the run, and so does abort", async () => {
  for (const command of ["abort_retry", "abort"]) {
    await using chat = await chatPlace(fails(503, "overloaded"));
    await using rpc = await startRpc([...CHAT, "--set", "retry.baseDelayMs=60000"], chat.place);
    await rpc.call("prompt", { message: "x" });
    await rpc.until(({ type }) => type === "auto_retry_start");
    expect((await rpc.call("get_state")).data.isStreaming).toBe(true);
    rpc.send({ id: "r", type: command });
    const end = await rpc.until(({ type }) => type === "auto_retry_end");
    expect(end).toEqual({ type: "auto_retry_end", success: false, attempt: 1, finalError: "Retry cancelled" });
    await rpc.until(({ type }) => type === "agent_settled");
    expect(await rpc.end()).toBe(0);
    expect(rpc.frames.filter(({ id }) => id === "r")).toMatchObject([{ command, success: true }]);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  }
});

test("set_auto_retry false: a failed call ends the run", async () => {
  await using chat = await chatPlace(fails(503, "overloaded"));
  await using rpc = await startRpc(QUICK, chat.place);
  await rpc.call("set_auto_retry", { enabled: false });
  await rpc.prompt("x");
  expect(rpc.frames.findLast(({ type }) => type === "agent_end")?.stopReason).toBe("error");
  expect(rpc.frames.some(({ type }) => type === "auto_retry_start")).toBe(false);
  expect(chat.server.requests).toHaveLength(1);
});
