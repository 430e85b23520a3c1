import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MessageBuilder } from "../../../ai/src/message-builder.ts";
import { AssistantEventStream, type AssistantMessageEvent } from "../../../ai/src/stream-events.ts";
import type { MessageUpdate } from "../../../coding-agent/src/modes/frames/update-frames.ts";
import { messageUpdateJson, type UpdateMode } from "../../../coding-agent/src/modes/frames/update-json.ts";
import { UpdateMerger } from "../../../coding-agent/src/modes/frames/update-merger.ts";
import { MessageRebuilder } from "../../src/core/message-rebuilder.ts";
import type { AssistantMessage, MessageUpdateEvent, RpcEvent } from "../../src/protocol.ts";

const updateJson = (update: MessageUpdate, mode: UpdateMode) =>
  messageUpdateJson(update, { mode, layout: "twice", messageId: "msg-1" });

/** `at` selects one of the open blocks; the newest if omitted. */
type Op =
  | { kind: "text" | "thinking" | "call" }
  | { kind: "end"; at?: number }
  | { kind: "append"; piece: string; at?: number };

const at = fc.nat(3);
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Op>({ kind: "text" }, { kind: "thinking" }, { kind: "call" }) },
  { weight: 1, arbitrary: at.map((at): Op => ({ kind: "end", at })) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.string({ unit: "grapheme", minLength: 1 }), at)
      .map(([piece, at]): Op => ({ kind: "append", piece, at })),
  },
);

interface OpenBlock {
  index: number;
  /** For a call: its arguments as JSON, part of which has been sent. */
  json?: string;
  sent: number;
}

/** Builds an answer as the server does: every update contains the message so far, and several blocks may be open at once. */
function updatesOf(ops: readonly Op[]): MessageUpdate[] {
  const stream = new AssistantEventStream();
  const builder = new MessageBuilder(stream, { api: "a", provider: "p", id: "m" }, { now: () => 0 });
  const open: OpenBlock[] = [];
  const starts = {
    text: () => ({ index: builder.startText(), sent: 0 }),
    thinking: () => ({ index: builder.startThinking(), sent: 0 }),
    call: (n: number) => ({
      index: builder.startToolCall({ id: `c${n}`, name: "t" }),
      json: JSON.stringify({ path: "é\n".repeat(90 + n), n: [n + 0.5, true, { deep: null }], m: -1e30 }),
      sent: 0,
    }),
  };
  for (const [n, step] of ops.entries()) {
    if (step.kind !== "append" && step.kind !== "end") {
      open.push(starts[step.kind](n));
      continue;
    }
    const chosen = step.at === undefined ? open.length - 1 : step.at % Math.max(1, open.length);
    const block = open[chosen];
    if (!block) continue;
    if (step.kind === "end") {
      builder.end(block.index);
      open.splice(chosen, 1);
      continue;
    }
    // A call's arguments are sent as fragments of JSON, text as it is.
    const piece = block.json?.slice(block.sent, block.sent + step.piece.length * 3) ?? step.piece;
    block.sent += piece.length;
    builder.append(block.index, piece);
  }
  const events: AssistantMessageEvent[] = [];
  for (let event = stream.take(); event; event = stream.take()) events.push(event);
  return events
    .filter(({ type }) => type !== "start")
    .map((event) => toUpdate(event as MessageUpdate["assistantMessageEvent"]));
}

const toUpdate = (event: MessageUpdate["assistantMessageEvent"]): MessageUpdate => ({
  type: "message_update",
  message: event.partial,
  assistantMessageEvent: event,
});

const parse = (line: string) => JSON.parse(line) as RpcEvent;

test("rebuilds what full mode sends", () => {
  fc.assert(
    fc.property(fc.array(op, { maxLength: 40 }), (ops) => {
      const updates = updatesOf(ops);
      const rebuilder = new MessageRebuilder();
      const rebuilt = updates.map((update) => rebuilder.rebuild(parse(updateJson(update, "delta"))));
      expect(rebuilt).toEqual(updates.map((update) => parse(updateJson(update, "full"))));
    }),
    { numRuns: 200 },
  );
});

test("rebuilds merged updates, and updates after the mode changed midway", () => {
  fc.assert(
    fc.property(fc.array(op, { maxLength: 40 }), fc.array(fc.nat(30)), fc.nat(40), (ops, waits, changeAt) => {
      // The timestamp identifies the update that a merged one ends with.
      const updates = updatesOf(ops).map((update, index) => stamped(update, index));
      const lines: string[] = [];
      const merger = new UpdateMerger({
        emit: (line) => lines.push(line),
        isHostTool: () => false,
        layout: "twice",
      });
      let now = 0;
      merger.setMode("delta", now);
      for (const [index, update] of updates.entries()) {
        if (index === changeAt) merger.setMode("full", now);
        if (index === changeAt + 3) merger.setMode("delta", now);
        merger.add(update, now);
        now += waits[index % Math.max(1, waits.length)] ?? 0;
        merger.flushDue(now);
      }
      merger.flush(now);
      const rebuilder = new MessageRebuilder();
      for (const line of lines) {
        const { message, assistantMessageEvent } = rebuilder.rebuild(parse(line)) as MessageUpdateEvent;
        const original = updates[message.timestamp]!;
        expect(assistantMessageEvent.partial).toEqual(message);
        const { type, contentIndex } = assistantMessageEvent;
        const ended = type === "toolcall_end" ? contentIndex : undefined;
        expect(withoutArguments(message, ended)).toEqual(withoutArguments(original.message as AssistantMessage, ended));
      }
    }),
    { numRuns: 200 },
  );
});

function stamped(update: MessageUpdate, timestamp: number): MessageUpdate {
  const message = { ...update.message, timestamp };
  return { ...update, message, assistantMessageEvent: { ...update.assistantMessageEvent, partial: message } };
}

/** Arguments may lag in either mode; only those of a call that has just ended are exact. */
function withoutArguments(message: AssistantMessage, ended: number | undefined): unknown {
  const copy = JSON.parse(JSON.stringify(message)) as AssistantMessage;
  const content = copy.content.map((block, index) =>
    block.type === "toolCall" && index !== ended ? { ...block, arguments: {} } : block,
  );
  return { ...copy, content };
}

describe("what delta mode does not send", () => {
  const head: AssistantMessage = { role: "assistant", content: [], timestamp: 0 } as never;
  const update = (step: object) =>
    ({ type: "message_update", message: head, assistantMessageEvent: { ...step, partial: head } }) as never;

  test("hidden reasoning keeps its position", () => {
    const rebuilder = new MessageRebuilder();
    const event = rebuilder.rebuild(update({ type: "text_start", contentIndex: 1 })) as MessageUpdateEvent;
    expect(event.message.content).toEqual([
      { type: "redactedThinking", data: "" },
      { type: "text", text: "" },
    ]);
  });

  test("ignores a step of a newer server", () => {
    const rebuilder = new MessageRebuilder();
    rebuilder.rebuild(update({ type: "text_start", contentIndex: 0 }));
    const event = rebuilder.rebuild(update({ type: "text_colour", contentIndex: 0 })) as MessageUpdateEvent;
    expect(event.message.content).toEqual([{ type: "text", text: "" }]);
  });
});

test("a call that began in full mode is rebuilt when the mode changes", () => {
  const json = JSON.stringify({ path: "a".repeat(30) });
  const stream = new AssistantEventStream();
  const builder = new MessageBuilder(stream, { api: "a", provider: "p", id: "m" }, { now: () => 0 });
  const call = builder.startToolCall({ id: "c", name: "t" });
  for (const piece of [json.slice(0, 20), json.slice(20)]) builder.append(call, piece);
  const rebuilder = new MessageRebuilder();
  stream.take(); // start
  const modes = ["full", "full", "delta"] as const;
  const messages = modes.map((mode) => {
    const update = toUpdate(stream.take() as MessageUpdate["assistantMessageEvent"]);
    return (rebuilder.rebuild(parse(updateJson(update, mode))) as MessageUpdateEvent).message.content;
  });
  expect(messages.at(-1)).toEqual([{ type: "toolCall", id: "c", name: "t", arguments: JSON.parse(json) }]);
});

test("a message starts empty, whatever the previous one contained", () => {
  const rebuilder = new MessageRebuilder();
  const [first] = updatesOf([{ kind: "text" }]);
  rebuilder.rebuild(parse(updateJson(first!, "full")));
  rebuilder.rebuild({ type: "message_start", message: first!.message } as RpcEvent);
  const [thinking] = updatesOf([{ kind: "thinking" }]);
  const event = rebuilder.rebuild(parse(updateJson(thinking!, "delta"))) as MessageUpdateEvent;
  expect(event.message.content).toEqual([{ type: "thinking", thinking: "" }]);
});

test("never mutates a snapshot that was delivered", () => {
  const rebuilder = new MessageRebuilder();
  const updates = updatesOf([{ kind: "text" }, { kind: "append", piece: "a" }, { kind: "append", piece: "b" }]);
  const texts = updates.map((update) => rebuilder.rebuild(parse(updateJson(update, "delta"))) as MessageUpdateEvent);
  expect(texts.map(({ message }) => message.content)).toEqual([
    [{ type: "text", text: "" }],
    [{ type: "text", text: "a" }],
    [{ type: "text", text: "ab" }],
  ]);
});
