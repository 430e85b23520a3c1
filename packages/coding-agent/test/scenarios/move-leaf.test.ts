import { expect, test } from "bun:test";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const entries = async (rpc: RpcChild) => (await rpc.call("get_entries")).data.entries as Frame[];
const answerEntry = async (rpc: RpcChild, text: string) =>
  (await entries(rpc)).find(({ message }) => message?.role === "assistant" && message.content[0]?.text === text);
const texts = async (rpc: RpcChild) =>
  (await rpc.call("get_messages")).data.messages.map(({ content }: Frame) => content[0]?.text ?? content);

test("a host returns to an earlier answer, continues differently, and returns to the first branch", async () => {
  await using chat = await chatPlace(says("one"), says("two"), says("three"));
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.prompt("a");
  await rpc.prompt("b");
  const { leafId: end } = (await rpc.call("get_tree")).data;
  const one = await answerEntry(rpc, "one");
  expect((await rpc.call("move_leaf", { entryId: one?.id })).data).toEqual({ cancelled: false, leafId: one?.id });
  expect(await rpc.until(({ type }) => type === "leaf_moved")).toEqual({
    type: "leaf_moved",
    leafId: one?.id,
    previousLeafId: end,
  });
  expect(await texts(rpc)).toEqual(["a", "one"]);
  await rpc.prompt("c");
  expect(await texts(rpc)).toEqual(["a", "one", "c", "three"]);
  expect((await rpc.call("move_leaf", { entryId: end })).data).toEqual({ cancelled: false, leafId: end });
  expect(await texts(rpc)).toEqual(["a", "one", "b", "two"]);
  expect(JSON.stringify(chat.server.requests.at(-1))).not.toContain("two");
});

test("a run ends visibly before the move, and continues if the entry does not exist", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(says("one"), held.respond);
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.prompt("a");
  const one = await answerEntry(rpc, "one");
  await rpc.call("prompt", { message: "b" });
  await held.asked;
  expect(await rpc.call("move_leaf", { entryId: "none" })).toMatchObject({ success: false, code: "not_found" });
  expect((await rpc.call("get_state")).data.isStreaming).toBe(true);
  const before = rpc.frames.length;
  expect((await rpc.call("move_leaf", { entryId: one?.id })).data).toMatchObject({ cancelled: false });
  await rpc.until(({ type }) => type === "leaf_moved");
  const order = rpc.frames.slice(before).map(({ type }) => type);
  const wanted = ["agent_end", "agent_settled", "response", "leaf_moved"];
  expect(order.filter((type) => wanted.includes(type))).toEqual(wanted);
  expect(await texts(rpc)).toEqual(["a", "one"]);
});

test("a move that an extension rejects changes nothing", async () => {
  await using chat = await chatPlace(says("one"), says("two"));
  const extension = `${chat.place.cwd}/no.ts`;
  await Bun.write(extension, 'export default (pi) => pi.on("session_before_tree", () => ({ cancel: true }));');
  await using rpc = await startRpc([...CHAT, "-e", extension], chat.place);
  await rpc.prompt("a");
  await rpc.prompt("b");
  const { leafId } = (await rpc.call("get_tree")).data;
  const one = await answerEntry(rpc, "one");
  expect((await rpc.call("move_leaf", { entryId: one?.id })).data).toEqual({ cancelled: true, leafId });
  expect(await texts(rpc)).toEqual(["a", "one", "b", "two"]);
});
