import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { grammarViolations } from "@pintle/agent/testing";
import { hasProc } from "../../../exec/test/support/processes/living-processes.ts";
import { CHAT, chatPlace, type HeldAnswer, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { where } from "../support/where.ts";

// Output of the child is read only inside `call`, `until` and `end`; between them the pipe fills up.

/** Answers this long would be compacted. */
const ARGS = [...CHAT, "--set", "compaction.enabled=false", "--set", "stream.maxAnswerChars=1000000000"];

const residentMiB = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const joined = (frames: readonly Frame[]) =>
  frames
    .filter(({ type, assistantMessageEvent: event }) => type === "message_update" && event.type === "text_delta")
    .map(({ assistantMessageEvent: event }) => event.delta)
    .join("");

where(hasProc, "needs /proc").test(
  "a long unread answer needs little memory, is merged, and loses nothing",
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

test("abort works while 100 MB of responses are unread; then all of them arrive", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(says("hi"), held.respond);
  await using rpc = await startRpc(ARGS, chat.place);
  await rpc.prompt("long ".repeat(200_000));
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  for (let count = 0; count < 100; count += 1) rpc.send({ id: `m${count}`, type: "get_messages" });
  held.write("so far");
  rpc.send({ id: "a", type: "abort" });
  await held.left; // only the abort can have closed it: nothing has been read since
  // The last responses waited until the test read again; which comes first depends on how long the run takes to end.
  for (let left = 2; left > 0; left -= 1) await rpc.until(({ id }) => id === "a" || id === "m99");
  const answers = rpc.frames.filter(({ command }) => command === "get_messages");
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, count) => `m${count}`));
  expect(answers.every(({ data }) => data.messages[0].content[0].text.length === 1_000_000)).toBe(true);
  expect(rpc.frames.findLast(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "aborted" });
  expect(await rpc.end()).toBe(0);
});

/** Sends pieces of text of an answer as fast as they are read. */
async function writeAll(held: HeldAnswer, piece: string, total: number): Promise<void> {
  for (let sent = 0; sent < total; sent += 1) {
    held.write(piece);
    await held.drained();
  }
  held.finish();
}

where(hasProc, "needs /proc").test(
  "above 64 MiB of unread deltas the model's stream pauses until the host reads",
  async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(ARGS, chat.place);
    await rpc.call("set_update_mode", { mode: "delta" });
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    const piece = "words ".repeat(100_000);
    const total = 160;
    const writing = writeAll(held, piece, total).then(() => "all of it was taken");
    // It is paused when nothing more is read: 96 MB do not fit into the sockets' buffers.
    const isPaused = async () => {
      const before = held.taken();
      await Bun.sleep(500);
      return held.taken() === before && "paused";
    };
    let state: string | false = false;
    while (!state) state = await Promise.race([writing, isPaused()]);
    expect(state).toBe("paused");
    expect(residentMiB(rpc.pid)).toBeLessThan(900);
    const before = held.taken();
    rpc.until(() => false).catch(() => {}); // reads on until the child is killed
    while (held.taken() === before) await Bun.sleep(10);
  },
);

where(hasProc, "needs /proc").test("commands with unread responses use no memory for the responses", async () => {
  await using chat = await chatPlace();
  await using rpc = await startRpc(ARGS, chat.place);
  const before = residentMiB(rpc.pid);
  for (let count = 0; count < 25_000; count += 1) rpc.send({ id: `s${count}`, type: "get_state" });
  rpc.send({ id: "a", type: "abort" });
  await rpc.until(({ id }) => id === "a"); // all of them were received; their answers have 12 KB each
  expect(residentMiB(rpc.pid) - before).toBeLessThan(200);
});

test("commands wait while their responses are not read, then all are answered in order", async () => {
  await using chat = await chatPlace();
  await using rpc = await startRpc(ARGS, chat.place);
  const ids = Array.from({ length: 2_000 }, (_, count) => `s${count}`);
  rpc.send(...ids.map((id) => ({ id, type: "get_state" })), { id: "b", type: "bash", command: "true" });
  rpc.send({ id: "a", type: "abort" });
  await rpc.until(({ id }) => id === "a"); // a control command overtakes them, in the output too
  expect(rpc.frames.length).toBeLessThan(ids.length);
  await rpc.until(({ id }) => id === "b");
  expect(rpc.frames.filter(({ command }) => command === "get_state").map(({ id }) => id)).toEqual(ids);
  expect(await rpc.end()).toBe(0);
});

test("more than 16 MiB of waiting commands are rejected, without effect", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  await using rpc = await startRpc(ARGS, chat.place);
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  const name = "n".repeat(1_000_000);
  for (let count = 0; count < 1_000; count += 1) rpc.send({ id: `s${count}`, type: "get_state" });
  for (let count = 0; count < 20; count += 1) rpc.send({ id: `n${count}`, type: "set_session_name", name });
  rpc.send({ id: "a", type: "abort" });
  await held.left; // everything was received, and nothing was read since
  await rpc.until(({ id }) => id === "a");
  await rpc.call("get_state");
  const answers = rpc.frames.filter(({ command }) => command === "set_session_name");
  expect(answers).toHaveLength(20);
  const refused = answers.filter(({ code }) => code === "busy");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every(({ success, error }) => !success && error.includes("not being read"))).toBe(true);
  expect(answers.length - refused.length).toBeGreaterThan(0);
  expect(await rpc.end()).toBe(0);
});

test("the end of input is detected while output is unread and commands wait", async () => {
  await using chat = await chatPlace();
  await using rpc = await startRpc(ARGS, chat.place);
  for (let count = 0; count < 1_000; count += 1) rpc.send({ id: `s${count}`, type: "get_state" });
  rpc.send({ id: "b", type: "bash", command: "touch started" });
  expect(await rpc.end()).toBe(0); // reads to the end, slowly
  expect(rpc.frames.filter(({ command }) => command === "get_state")).toHaveLength(1_000);
  expect(rpc.frames.at(-1)).toMatchObject({ id: "b", success: true });
});
