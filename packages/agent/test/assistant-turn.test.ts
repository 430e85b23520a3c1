import { expect, test } from "bun:test";
import { AssistantEventStream, type AssistantMessageEvent } from "@pintle/ai";
import { assistant, text } from "./support/messages.ts";
import { words } from "./support/notation.ts";
import { quiet } from "./support/quiet.ts";
import { scenario } from "./support/scenario.ts";

const partial = assistant([text("a")]);

/** A run whose one answer is fed by hand. */
function byHand() {
  const stream = new AssistantEventStream();
  let isCancelled = false;
  stream.onCancel(() => {
    isCancelled = true;
  });
  const s = scenario({ stream: () => stream });
  return { s, stream, isCancelled: () => isCancelled };
}

test("an update and its event contain the same snapshot, and no snapshot ever changes", async () => {
  const s = scenario({
    answers: [
      [
        { thinking: "hm", chunk: 1 },
        { text: "hello", chunk: 1 },
        { call: "none", args: { a: [1, 2, 3], b: "long enough to be parsed" } },
      ],
      [{ text: "ok" }],
    ],
  });
  const written = new Map<unknown, string>();
  s.listen((event) => {
    if (event.type === "message_update") {
      expect(event.message).toBe(event.assistantMessageEvent.partial);
      written.set(event.message, JSON.stringify(event.message));
    }
  });
  await s.prompt("go");
  expect(written.size).toBeGreaterThan(10);
  for (const [snapshot, json] of written) expect(JSON.stringify(snapshot)).toBe(json);
});

test("a delta copies the block it touches and shares the others", async () => {
  const s = scenario({ answers: [[{ text: "one" }, { text: "two", chunk: 1 }]] });
  await s.prompt("go");
  const snapshots = s.ofType("message_update").map(({ message }) => message);
  const firstBlocks = new Set(snapshots.slice(3).map(({ content }) => content[0]));
  expect(firstBlocks.size).toBe(1);
});

test("streaming accumulators do not survive in the final message", async () => {
  const s = scenario({ answers: [[{ call: "none", args: { a: 1 }, id: "x" }], [{ text: "ok" }]] });
  await s.prompt("go");
  expect(s.ofType("turn_end")[0]?.message.content).toEqual([
    { type: "toolCall", id: "x", name: "none", arguments: { a: 1 } },
  ]);
});

test("a stream without its start event still gets a message_start", async () => {
  const { s, stream } = byHand();
  const run = s.prompt("go");
  await quiet();
  const message = { ...partial, duration: 5, usage: { ...partial.usage, totalTokens: 9 } };
  stream.push({ type: "done", reason: "stop", message });
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:stop) te agent_end(stop)"));
  const { duration: _, ...rest } = message;
  expect(s.ofType("message_start")[1]?.message).toEqual({ ...rest, content: [], usage: partial.usage });
});

test("events after the last one are ignored", async () => {
  const { s, stream, isCancelled } = byHand();
  const run = s.prompt("go");
  await quiet();
  stream.push({ type: "start", partial: assistant([]) });
  stream.push({ type: "done", reason: "stop", message: partial });
  stream.push({ type: "text_start", contentIndex: 0, partial });
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:stop) te agent_end(stop)"));
  expect(isCancelled()).toBe(false);
});

test("an abort cancels the request of a provider that continues, and its further output is ignored", async () => {
  const { s, stream, isCancelled } = byHand();
  const run = s.prompt("go");
  await quiet();
  const start: AssistantMessageEvent = { type: "text_start", contentIndex: 0, partial };
  stream.push(start);
  await quiet();
  await s.agent.abort();
  await run;
  stream.push({ type: "text_delta", contentIndex: 0, delta: "b", partial });
  await quiet();
  expect(isCancelled()).toBe(true);
  expect(s.words()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu:text_start me(A:aborted) te agent_end(aborted)"),
  );
});

test("what arrived before the abort is read before the message is cut", async () => {
  const { s, stream } = byHand();
  const run = s.prompt("go");
  await quiet();
  stream.push({ type: "text_start", contentIndex: 0, partial });
  stream.push({ type: "text_end", contentIndex: 0, content: "", partial });
  const aborted = s.agent.abort();
  await aborted;
  await run;
  expect(s.words()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu:text_start mu:text_end me(A:aborted) te agent_end(aborted)"),
  );
});

test("an answer that was complete when the abort came keeps its ending; the run is aborted", async () => {
  const { s, stream } = byHand();
  const run = s.prompt("go");
  await quiet();
  stream.push({ type: "done", reason: "stop", message: partial });
  const aborted = s.agent.abort();
  await aborted;
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:stop) te agent_end(aborted)"));
});

test("reading of the model stream pauses while the reader of the events is not ready", async () => {
  let release = () => {};
  let isBlocked = true;
  const s = scenario({
    answers: [[{ text: "abc", chunk: 1 }]],
    ready: () =>
      isBlocked
        ? new Promise((resolve) => {
            release = resolve;
          })
        : undefined,
  });
  const run = s.prompt("go");
  await quiet();
  const count = s.events.length;
  await quiet();
  expect(s.events).toHaveLength(count);
  isBlocked = false;
  release();
  await run;
  expect(s.words().at(-1)).toBe("agent_end(stop)");
});
