import { describe, expect, test } from "bun:test";
import { messageUpdateJson, type UpdateMode } from "../../../src/modes/frames/update-json.ts";
import { assistantMessage, type MessageUpdate, StreamedMessage } from "../../support/modes/frames/streamed-message.ts";

const TEXT = `${"x".repeat(200)} the end`;
const times = (text: string, part: string) => text.split(part).length - 1;

function once(frame: MessageUpdate, mode: UpdateMode = "full") {
  const text = messageUpdateJson(frame, { mode, layout: "once", messageId: "msg-7" });
  return { text, frame: JSON.parse(text) };
}

function streamed() {
  const answer = new StreamedMessage();
  return { start: answer.startText(), delta: answer.text(TEXT), end: answer.endText(), message: answer.message };
}

describe("the text so far, once", () => {
  test("a delta has it in the message", () => {
    const { delta, message } = streamed();
    const { frame } = once(delta);
    const empty = { ...message, content: [] };
    expect(frame).toEqual({
      type: "message_update",
      messageId: "msg-7",
      usage: message.usage,
      message,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: TEXT, partial: empty },
    });
  });

  test("a large delta has it itself, so that no line is much longer than the text", () => {
    const answer = new StreamedMessage();
    answer.startText();
    const large = answer.text("y".repeat(5000));
    expect(once(large).frame.message.content).toEqual([]);
    expect(once(answer.text("z")).frame.message.content).toEqual([{ type: "text", text: `${"y".repeat(5000)}z` }]);
  });

  test("the end of a block has it in the event alone", () => {
    const { end, message } = streamed();
    const { text, frame } = once(end);
    expect(times(text, TEXT)).toBe(1);
    expect(frame.assistantMessageEvent).toMatchObject({ type: "text_end", content: TEXT });
    expect(frame.message).toEqual({ ...message, content: [] });
  });

  test("so have a thought and a call", () => {
    const call = { type: "toolCall" as const, id: "c1", name: "write", arguments: { content: TEXT } };
    const message = assistantMessage([{ type: "thinking", thinking: TEXT }, call]);
    const events = [
      { type: "thinking_end" as const, contentIndex: 0, content: TEXT, partial: message },
      { type: "toolcall_end" as const, contentIndex: 1, toolCall: call, partial: message },
    ];
    for (const assistantMessageEvent of events) {
      const { text } = once({ type: "message_update", message, assistantMessageEvent });
      expect(times(text, TEXT)).toBe(1);
    }
  });

  test("a call begins with its id and name, as newer clients of pi read them", () => {
    const message = assistantMessage();
    const toolCall = { id: "c1", name: "write" };
    const { frame } = once({
      type: "message_update",
      message,
      assistantMessageEvent: { type: "toolcall_start", contentIndex: 0, toolCall, partial: message },
    });
    expect(frame.assistantMessageEvent).toEqual({
      type: "toolcall_start",
      contentIndex: 0,
      toolCall,
      id: "c1",
      toolName: "write",
      partial: message,
    });
  });

  test("in delta mode no update has it but the end of a block", () => {
    const { start, delta, end } = streamed();
    expect(once(start, "delta").frame.message.content).toEqual([]);
    expect(once(delta, "delta").frame.message.content).toEqual([]);
    expect(times(once(delta, "delta").text, TEXT)).toBe(1); // the delta itself
    expect(times(once(end, "delta").text, TEXT)).toBe(1);
  });
});
