import { expect, test } from "bun:test";
import { FrameWriter } from "../../../src/modes/frames/frame-writer.ts";
import { FakeSink } from "../../support/modes/frames/fake-sink.ts";
import { FakeTimers } from "../../support/modes/frames/fake-timers.ts";
import { StreamedMessage } from "../../support/modes/frames/streamed-message.ts";

function createWriter() {
  const sink = new FakeSink();
  return { sink, writer: new FrameWriter({ sink, timers: new FakeTimers() }) };
}
const start = { type: "message_start", message: {} };
const end = { type: "message_end", message: {} };

test("start, updates and end of a message share an id that no other has, also where deltas wait for the end", () => {
  const { sink, writer } = createWriter();
  const answer = new StreamedMessage();
  const frames = [start, end, start, answer.startText(), answer.text("a"), answer.text("b"), end, start, end];
  for (const frame of frames) writer.send(frame);
  expect(sink.frames.map(({ type, messageId }) => `${type} ${messageId}`)).toEqual([
    "message_start msg-1",
    "message_end msg-1",
    "message_start msg-2",
    "message_update msg-2",
    "message_update msg-2",
    "message_update msg-2",
    "message_end msg-2",
    "message_start msg-3",
    "message_end msg-3",
  ]);
});

test("a nested message has its own", () => {
  const { sink, writer } = createWriter();
  const answer = new StreamedMessage();
  for (const frame of [start, start, end, answer.startText(), end]) writer.send(frame);
  expect(sink.frames.map(({ messageId }) => messageId)).toEqual(["msg-1", "msg-2", "msg-2", "msg-1", "msg-1"]);
});

test("filtered messages are not written, and ids continue as if they were", () => {
  const { sink, writer } = createWriter();
  writer.setFilter((type) => type === "message_end");
  for (const frame of [start, new StreamedMessage().startText(), end]) writer.send(frame);
  writer.setFilter(undefined);
  for (const frame of [start, end]) writer.send(frame);
  expect(sink.frames.map(({ type, messageId }) => `${type} ${messageId}`)).toEqual([
    "message_end msg-1",
    "message_start msg-2",
    "message_end msg-2",
  ]);
});

test("deltas that wait when the filter changes are still sent", () => {
  const { sink, writer } = createWriter();
  const answer = new StreamedMessage();
  for (const frame of [answer.startText(), answer.text("a"), answer.text("b")]) writer.send(frame);
  writer.setFilter(() => false);
  writer.send(answer.text("c"));
  expect(sink.frames.map(({ assistantMessageEvent: { delta } }) => delta)).toEqual([undefined, "a", "b"]);
});
