import { expect, test } from "bun:test";
import fc from "fast-check";
import { FrameWriter } from "../../../src/modes/frames/frame-writer.ts";
import type { Frame } from "../../../src/modes/frames/update-frames.ts";
import { FakeSink } from "../../support/modes/frames/fake-sink.ts";
import { FakeTimers, settle } from "../../support/modes/frames/fake-timers.ts";
import { StreamedMessage, toolEnd, toolUpdate } from "../../support/modes/frames/streamed-message.ts";

// Tests the writer with any legal stream and any behavior of the clock and the reader.

type Step =
  /** A block; `more` extends it later, after other events. */
  | { do: "text" | "more"; deltas: string[] }
  | { do: "progress"; calls: string[] }
  | { do: "endCall"; call: string }
  | { do: "response" | "newMessage" | "block" | "takeOne" | "unblock" }
  | { do: "wait"; ms: number };

const call = fc.constantFrom("t1", "t2", "t3");
const calls = fc.array(call, { minLength: 1, maxLength: 8 });
const deltas = fc.array(fc.string({ unit: "grapheme", maxLength: 5 }), { maxLength: 8 });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("text" as const, "more" as const), deltas }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("progress" as const), calls }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("endCall" as const), call }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom("response" as const, "newMessage" as const, "block" as const) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("takeOne" as const, "unblock" as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 120 }) }) },
  ),
  { maxLength: 40 },
);

/** Frames with serial numbers, by which output is compared with input. */
// biome-ignore lint/suspicious/noExplicitAny: frames of every kind
type Numbered = Frame & { n: number; [key: string]: any };

async function play(
  script: readonly Step[],
  mode: "full" | "delta",
): Promise<{ sent: Numbered[]; received: Numbered[] }> {
  const sink = new FakeSink();
  const timers = new FakeTimers();
  const writer = new FrameWriter({ sink, timers });
  writer.setUpdateMode(mode);
  const sent: Numbered[] = [];
  const send = (frame: Frame) => {
    // The number is in a field of which the writer keeps the newest value.
    const n = sent.length;
    const numbered =
      "assistantMessageEvent" in frame
        ? { ...frame, assistantMessageEvent: { ...(frame.assistantMessageEvent as object), n } }
        : { ...frame, n };
    sent.push({ ...numbered, n });
    writer.send(numbered);
  };
  let answer = new StreamedMessage();
  for (const step of script) {
    if (step.do === "text" || step.do === "more") {
      if (step.do === "text" || answer.message.content.length === 0) send(answer.startText());
      for (const delta of step.deltas) {
        send(answer.text(delta));
        timers.advance(7);
      }
    } else if (step.do === "progress") for (const id of step.calls) send(toolUpdate(id, `progress ${sent.length}`));
    else if (step.do === "endCall") send(toolEnd(step.call));
    else if (step.do === "response") send({ type: "response" });
    else if (step.do === "newMessage") answer = new StreamedMessage();
    else if (step.do === "wait") timers.advance(step.ms);
    else sink[step.do]();
    await settle();
  }
  const drained = writer.drain();
  sink.unblock();
  await drained;
  const received = sink.frames.map((frame) => ({ ...frame, n: frame.n ?? frame.assistantMessageEvent.n }));
  return { sent, received };
}

const isMergeable = (frame: Numbered) =>
  frame.type === "tool_execution_update" || frame.assistantMessageEvent?.delta !== undefined;

/** Joins the deltas of each block; a block begins with its start event. */
function blockTexts(frames: readonly Numbered[]): string[] {
  const texts: string[] = [];
  for (const { assistantMessageEvent: event } of frames) {
    if (event?.type.endsWith("_start")) texts.push("");
    else if (event?.delta !== undefined) texts[texts.length - 1] += event.delta;
  }
  return texts;
}

const withoutNumber = ({ n: _n, ...frame }: Numbered) => frame;

test("every frame arrives in order; only updates are merged, and none of their text is lost", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom("full" as const, "delta" as const), async (script, mode) => {
      const { sent, received } = await play(script, mode);

      const numbers = received.map((frame) => frame.n);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);

      const others = (frames: Numbered[]) => frames.filter((frame) => !isMergeable(frame)).map((frame) => frame.n);
      expect(others(received)).toEqual(others(sent));
      expect(blockTexts(received)).toEqual(blockTexts(sent));
    }),
    { numRuns: 400 },
  );
});

test("a frame that arrives is the newest one it stands for, with everything it carried", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const { sent, received } = await play(script, "full");
      for (const frame of received) {
        const original = structuredClone(sent[frame.n]!);
        if (original.assistantMessageEvent?.delta !== undefined) {
          // The joined delta belongs to the newest snapshot: it is the end of the block's text so far.
          const { contentIndex, delta } = frame.assistantMessageEvent;
          const block = frame.message.content[contentIndex];
          expect((block.text ?? block.thinking).endsWith(delta)).toBe(true);
          original.assistantMessageEvent.delta = delta;
        }
        const { messageId, ...rest } = withoutNumber(frame);
        expect(rest).toEqual(withoutNumber(original));
        expect(messageId).toBe(original.type === "message_update" ? "msg-1" : undefined);
      }
    }),
    { numRuns: 200 },
  );
});

test("the last progress before the end of a call is never lost", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const { sent, received } = await play(script, "full");
      const lastOf = (frames: Numbered[]) => {
        const last: Record<string, number> = {};
        for (const frame of frames) if (frame.type === "tool_execution_update") last[frame.toolCallId] = frame.n;
        return last;
      };
      const ends = sent.filter((frame) => frame.type === "tool_execution_end").map((frame) => frame.n);
      for (const end of [...ends, sent.length]) {
        const before = (frames: Numbered[]) => lastOf(frames.filter((frame) => frame.n < end));
        expect(before(received)).toEqual(before(sent));
      }
    }),
    { numRuns: 200 },
  );
});
