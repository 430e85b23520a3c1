import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { grammarViolations } from "@pintle/agent/testing";
import { hasProc } from "../processes/living-processes.ts";
import { where } from "../support/where.ts";
import { CHAT, chatPlace, heldAnswer, says } from "./support/chat-server.ts";
import { type Frame, startRpc } from "./support/rpc-child.ts";

// Nothing is read from the child but inside `call`, `until` and `end`: between them the pipe fills up.

/** Answers this long would be compacted. */
const ARGS = [...CHAT, "--set", "compaction.enabled=false"];

const residentMiB = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const joined = (frames: readonly Frame[]) =>
  frames
    .filter(({ type, assistantMessageEvent: event }) => type === "message_update" && event.type === "text_delta")
    .map(({ assistantMessageEvent: event }) => event.delta)
    .join("");

where(hasProc, "needs /proc").test(
  "a long answer that nobody reads costs little, is merged, and nothing of it is lost",
  async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(ARGS, chat.place);
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    const before = residentMiB(rpc.pid);
    let sent = "";
    for (let piece = 0; piece < 4_000; piece += 1) {
      const text = `${piece} ${"words ".repeat(40)}\n`;
      sent += text;
      held.write(text);
      if (piece % 100 === 0) await Bun.sleep(20); // more than one window of the merger, and two seconds in all
      await held.drained();
    }
    const grown = residentMiB(rpc.pid) - before;
    held.finish();
    await rpc.until((frame) => frame.type === "agent_settled");
    expect(joined(rpc.frames) === sent).toBe(true);
    const end = rpc.frames.findLast((frame) => frame.type === "agent_end");
    expect(end?.messages[1].content[0].text === sent).toBe(true);
    expect(rpc.frames.length).toBeLessThan(1_000);
    expect(grown).toBeLessThan(400);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
    expect(await rpc.end()).toBe(0);
  },
);

test("abort acts although nobody reads and 100 MB of answers wait; then all of them arrive", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(says("hi"), held.respond);
  await using rpc = await startRpc(ARGS, chat.place);
  await rpc.prompt("long ".repeat(200_000));
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  for (let count = 0; count < 100; count += 1) rpc.send({ id: `m${count}`, type: "get_messages" });
  held.write("so far");
  rpc.send({ id: "a", type: "abort" });
  await held.left; // only the abort can have closed it: no byte was read since
  await rpc.until(({ id }) => id === "a");
  const answers = rpc.frames.filter(({ command }) => command === "get_messages");
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, count) => `m${count}`));
  expect(answers.every(({ data }) => data.messages[0].content[0].text.length === 1_000_000)).toBe(true);
  expect(rpc.frames.findLast(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "aborted" });
  expect(await rpc.end()).toBe(0);
});

test("past 64 MiB that nobody has read the model is not read either, until the host goes on", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(says("hi"), held.respond);
  await using rpc = await startRpc(ARGS, chat.place);
  await rpc.call("set_update_mode", { mode: "delta" });
  await rpc.prompt("long ".repeat(200_000));
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  for (let count = 0; count < 80; count += 1) rpc.send({ type: "get_messages", id: `m${count}` });
  rpc.send({ type: "bash", id: "b", command: "touch reached" });
  while (!(await Bun.file(`${chat.place.cwd}/reached`).exists())) await Bun.sleep(10); // all of them are in the queue
  const piece = "words ".repeat(10_000);
  const total = 900;
  let sent = 0;
  const writing = (async () => {
    for (; sent < total; sent += 1) {
      held.write(piece);
      await held.drained();
    }
    held.finish();
  })();
  // Until nothing more can be written; 54 MB do not fit into the buffers of the sockets.
  for (let before = -1; before < sent; await Bun.sleep(1_000)) before = sent;
  expect(sent).toBeLessThan(total);
  await rpc.until(({ type }) => type === "agent_settled");
  await writing;
  const end = rpc.frames.findLast(({ type }) => type === "agent_end");
  expect(end?.messages[1].content[0].text.length).toBe(piece.length * total);
  expect(await rpc.end()).toBe(0);
});
