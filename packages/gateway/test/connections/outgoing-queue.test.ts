import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { OutgoingQueue } from "../../src/connections/outgoing-queue.ts";
import type { OutgoingFrame } from "../../src/host.ts";

const delta = (sessionId: string, seq: number, text: string, key = "text_delta:0"): OutgoingFrame => ({
  json: JSON.stringify({
    type: "message_update",
    assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: text },
    sessionId,
    seq,
  }),
  sessionId,
  seq,
  merge: { key, kind: "delta" },
});
const progress = (sessionId: string, seq: number, toolCallId: string): OutgoingFrame => ({
  json: JSON.stringify({ type: "tool_execution_update", toolCallId, partial: seq, sessionId, seq }),
  sessionId,
  seq,
  merge: { key: `tool:${toolCallId}`, kind: "last" },
});
const other = (sessionId: string, seq?: number): OutgoingFrame => ({
  json: JSON.stringify({ type: seq === undefined ? "response" : "agent_start", sessionId, seq }),
  sessionId,
  ...(seq !== undefined && { seq }),
});

interface Read {
  type: string;
  sessionId: string;
  seq?: number;
  merged?: number;
  assistantMessageEvent?: { delta: string };
  partial?: number;
}

function drained(queue: OutgoingQueue): Read[] {
  const read: Read[] = [];
  for (let frame = queue.take(); frame; frame = queue.take()) read.push(JSON.parse(frame.toJson()) as Read);
  return read;
}

function queued(...frames: OutgoingFrame[]): OutgoingQueue {
  const queue = new OutgoingQueue();
  for (const frame of frames) queue.push(frame);
  return queue;
}

describe("what waits for a slow host", () => {
  test("deltas of one block become one frame with the last seq and their number", () => {
    expect(drained(queued(delta("a", 4, "one "), delta("a", 5, "two "), delta("a", 6, "three")))).toEqual([
      {
        type: "message_update",
        assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "one two three" },
        sessionId: "a",
        seq: 6,
        merged: 3,
      } as Read,
    ]);
  });

  test("of a tool's progress the newest is left", () => {
    expect(drained(queued(progress("a", 1, "t"), progress("a", 2, "t")))).toEqual([
      { type: "tool_execution_update", toolCallId: "t", partial: 2, sessionId: "a", seq: 2, merged: 2 } as Read,
    ]);
  });

  test("nothing is merged across a gap, another block, another frame or an answer", () => {
    const seqs = (...frames: OutgoingFrame[]) => drained(queued(...frames)).map(({ seq, merged }) => [seq, merged]);
    expect(seqs(delta("a", 1, "x"), delta("a", 3, "y"))).toEqual([
      [1, undefined],
      [3, undefined],
    ]);
    expect(seqs(delta("a", 1, "x"), delta("a", 2, "y", "text_delta:1"))).toHaveLength(2);
    expect(seqs(delta("a", 1, "x"), other("a", 2), delta("a", 3, "y"))).toHaveLength(3);
    expect(seqs(delta("a", 1, "x"), other("a"), delta("a", 2, "y"))).toHaveLength(3);
    expect(seqs(progress("a", 1, "t"), progress("a", 2, "u"), progress("a", 3, "t"))).toHaveLength(3);
  });

  test("other sessions in between do not matter", () => {
    expect(drained(queued(delta("a", 1, "x"), delta("b", 7, "!"), delta("a", 2, "y"))).map(({ seq }) => seq)).toEqual([
      2, 7,
    ]);
  });

  test("no update is merged into a frame that was already sent", () => {
    const queue = queued(delta("a", 1, "x"));
    expect(queue.take()?.seq).toBe(1);
    queue.push(delta("a", 2, "y"));
    expect(drained(queue).map(({ seq, merged }) => [seq, merged])).toEqual([[2, undefined]]);
  });

  test("dropped frames report the position of each session", () => {
    const queue = queued(delta("a", 4, "x"), delta("a", 5, "y"), other("b"), progress("c", 9, "t"));
    expect(queue.clear()).toEqual(
      new Map([
        ["a", { seq: 3 }],
        ["c", { seq: 8 }],
      ]),
    );
    expect({ bytes: queue.bytes, isEmpty: queue.isEmpty }).toEqual({ bytes: 0, isEmpty: true });
  });
});

/**
 * Returns what a host knows about a session after reading everything: the text, and the frames that are not updates, in
 * order.
 */
function picture(frames: readonly Read[], sessionId: string) {
  let text = "";
  const seen: unknown[] = [];
  for (const frame of frames.filter((one) => one.sessionId === sessionId)) {
    if (frame.assistantMessageEvent) text += frame.assistantMessageEvent.delta;
    else if (frame.type !== "tool_execution_update") seen.push([frame.type, frame.seq, text]);
  }
  return { text, seen };
}

test("however slowly a host reads, it ends with the same state, and seq and merged leave no gap", () => {
  const step = fc.record({
    session: fc.constantFrom("a", "b"),
    kind: fc.constantFrom("delta", "delta", "delta", "tool", "event", "response", "take"),
    text: fc.string({ minLength: 1, maxLength: 3 }),
    call: fc.constantFrom("t", "u"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = new OutgoingQueue();
      const seqs: Record<string, number> = { a: 0, b: 0 };
      const fast: Read[] = [];
      const slow: Read[] = [];
      for (const { session, kind, text, call } of steps) {
        if (kind === "take") {
          const frame = queue.take();
          if (frame) slow.push(JSON.parse(frame.toJson()) as Read);
          continue;
        }
        if (kind !== "response") seqs[session]! += 1;
        const seq = seqs[session]!;
        const made = {
          delta: () => delta(session, seq, text),
          tool: () => progress(session, seq, call),
          event: () => other(session, seq),
          response: () => other(session),
        }[kind]();
        fast.push(JSON.parse(made.json) as Read);
        queue.push(made);
      }
      slow.push(...drained(queue));
      expect(queue.bytes).toBe(0);
      for (const session of ["a", "b"]) {
        expect(picture(slow, session)).toEqual(picture(fast, session));
        let last = 0;
        for (const { seq, merged = 1 } of slow.filter((one) => one.sessionId === session && one.seq !== undefined)) {
          expect(seq).toBe(last + merged);
          last = seq!;
        }
        expect(last).toBe(seqs[session]!);
      }
    }),
  );
});
