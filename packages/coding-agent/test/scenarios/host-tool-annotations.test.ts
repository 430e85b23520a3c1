import { expect, test } from "bun:test";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const parameters = { type: "object" };
const tools = [
  { name: "owner", description: "Names an owner.", parameters, annotations: { readOnlyHint: true } },
  { name: "page", description: "Pages an owner.", parameters, annotations: { readOnlyHint: false } },
];

/** Answers the calls of host tools and returns the run's result. */
async function run(rpc: RpcChild, result: object) {
  await rpc.call("set_host_tools", { tools });
  await rpc.call("prompt", { message: "go" });
  for (;;) {
    const frame = await rpc.until(({ type }) => type === "host_tool_call" || type === "prompt_result");
    if (frame.type === "prompt_result") return frame;
    rpc.send({ type: "host_tool_result", id: frame.id, result });
  }
}
const content = [{ type: "text", text: "core team" }];

test("every preset allows a read-only host tool, and a rule can still deny it", async () => {
  const both = callsTools({ name: "owner", id: "o" }, { name: "page", id: "p" });
  await using chat = await chatPlace(both, says("a"), both, says("b"));
  await using rpc = await startRpc([...CHAT, "--permissions", "plan"], chat.place);
  const page = { tool: "page", kind: "execute", by: "rule", layer: "mode" };
  expect(await run(rpc, { content })).toMatchObject({ text: "a", denials: [page] });
  const rule = { effect: "deny", tool: "owner" };
  await rpc.call("set_policy", { rules: [rule] });
  const owner = { tool: "owner", kind: "read", by: "rule", rule, layer: "host" };
  expect((await run(rpc, { content })).denials).toEqual(
    expect.arrayContaining([expect.objectContaining(owner), expect.objectContaining(page)]),
  );
});

test("a result with `terminate` ends the run without another model call", async () => {
  await using chat = await chatPlace(callsTools({ name: "owner", id: "o" }));
  await using rpc = await startRpc(CHAT, chat.place);
  expect(await run(rpc, { content, terminate: true })).toMatchObject({
    status: "completed",
    endedBy: "stop",
    turns: 1,
  });
  expect(chat.server.requests).toHaveLength(1);
});

test("a hint that is not a boolean rejects the list and names the tool", async () => {
  await using chat = await chatPlace(says("x"));
  await using rpc = await startRpc(CHAT, chat.place);
  const wrong = { ...tools[0], annotations: { readOnlyHint: "yes" } };
  expect(await rpc.call("set_host_tools", { tools: [tools[1], wrong] })).toMatchObject({
    success: false,
    code: "invalid_request",
    error: 'Host tool "owner" has an annotation readOnlyHint that is not a boolean',
  });
});
