import { expect, test } from "bun:test";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

test("one of several queued messages is withdrawn by its id, even if another has the same text", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond, says("to the second"), says("to the third"));
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.call("prompt", { message: "first" });
  await held.asked;
  for (const message of ["same", "same"]) await rpc.call("steer", { message });
  await rpc.call("follow_up", { message: "later" });
  const { queue } = (await rpc.call("get_state")).data;
  expect(queue).toEqual({
    steering: ["same", "same"],
    followUp: ["later"],
    steeringIds: [expect.any(String), expect.any(String)],
    followUpIds: [expect.any(String)],
  });
  expect(new Set([...queue.steeringIds, ...queue.followUpIds]).size).toBe(3);
  const [first, second] = queue.steeringIds;
  expect((await rpc.call("remove_queued", { queueId: first })).data).toEqual({ queue: "steering", text: "same" });
  const told = await rpc.until(({ type, steering }) => type === "queue_update" && steering.length === 1);
  expect(told).toEqual({ type: "queue_update", ...queue, steering: ["same"], steeringIds: [second] });
  expect(await rpc.call("remove_queued", { queueId: first })).toMatchObject({ success: false, code: "not_found" });
  held.finish();
  await rpc.until(({ type }) => type === "session_settled");
  const { messages } = (await rpc.call("get_messages")).data;
  const said = messages.filter(({ role }: { role: string }) => role === "user");
  expect(said.map(({ content }: { content: { text: string }[] }) => content[0]?.text)).toEqual([
    "first",
    "same",
    "later",
  ]);
  expect(await rpc.call("remove_queued", { queueId: second })).toMatchObject({ code: "not_found" });
});

test.each(["pi", "omp"] as const)("clients of %s read the queue in their own format", async (dialect) => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond, says("x"));
  await using rpc = await startRpc(CHAT, { ...chat.place, dialect });
  await rpc.call("prompt", { message: "first" });
  await held.asked;
  rpc.send({ id: "s", type: "steer", message: "more" });
  expect(await rpc.until(({ type }) => type === "queue_update")).toEqual({
    type: "queue_update",
    steering: ["more"],
    followUp: [],
  });
  expect((await rpc.call("get_state")).data).not.toHaveProperty("queue");
  held.finish();
});
