import { describe, expect, test } from "bun:test";
import { FrameWriter } from "../../../src/modes/frames/frame-writer.ts";
import { FakeSink } from "../../support/modes/frames/fake-sink.ts";
import { FakeTimers, settle } from "../../support/modes/frames/fake-timers.ts";
import { StreamedMessage, toolEnd, toolUpdate } from "../../support/modes/frames/streamed-message.ts";

function createWriter() {
  const sink = new FakeSink();
  const timers = new FakeTimers();
  const lost: unknown[] = [];
  const writer = new FrameWriter({ sink, timers });
  writer.onLost = (error) => lost.push(error);
  return { sink, timers, writer, lost };
}

/** Summarizes a frame, so that whole lists can be compared. */
// biome-ignore lint/suspicious/noExplicitAny: frames of every kind
function brief(frame: any): string {
  if (frame.type === "message_update") {
    const event = frame.assistantMessageEvent;
    return event.delta === undefined ? event.type : `${event.type}:${event.delta}`;
  }
  if (frame.type === "tool_execution_update") return `${frame.toolCallId}:${frame.partialResult.content[0].text}`;
  return frame.type;
}

describe("lines", () => {
  test("a frame is written at once as one line", () => {
    const { sink, writer } = createWriter();
    writer.send({ type: "agent_start" });
    expect(sink.text).toBe('{"type":"agent_start"}\n');
  });

  test("line separators of Unicode are escaped, everything else is plain UTF-8", () => {
    const { sink, writer } = createWriter();
    writer.send({ type: "notice", message: "a\u2028b\u2029c\u0085ä漢😀" } as never);
    expect(sink.text).toBe('{"type":"notice","message":"a\\u2028b\\u2029c\u0085ä漢😀"}\n');
  });

  test("half a surrogate pair stays valid UTF-8", () => {
    const { sink, writer } = createWriter();
    writer.send({ type: "notice", message: "\ud83d" } as never);
    expect(sink.text).toBe('{"type":"notice","message":"\\ud83d"}\n');
  });

  test("numbers are never written as null", () => {
    const { sink, writer } = createWriter();
    const value = { nan: Number.NaN, infinite: Number.POSITIVE_INFINITY, nothing: null, list: [1, Number.NaN] };
    writer.send({ type: "notice", value } as never);
    expect(sink.frames).toEqual([{ type: "notice", value: { nan: 0, infinite: 0, nothing: null, list: [1, 0] } }]);
  });

  test("values that JSON cannot hold do not lose the frame", () => {
    const { sink, writer } = createWriter();
    const details: Record<string, unknown> = { big: 12n, at: new Date(0) };
    details.self = details;
    details.shared = [details.big, details];
    writer.send({ ...toolEnd("t1"), result: { content: [], details } } as never);
    expect(sink.frames[0].result.details).toEqual({
      big: "12",
      at: "1970-01-01T00:00:00.000Z",
      shared: ["12", null],
    });
  });

  test("a frame larger than one piece arrives whole", () => {
    const { sink, writer } = createWriter();
    const message = "漢".repeat(300_000);
    writer.send({ type: "notice", message } as never);
    writer.send({ type: "agent_start" });
    expect(sink.frames).toEqual([{ type: "notice", message }, { type: "agent_start" }]);
  });
});

describe("frames of one turn of the event loop", () => {
  const notice = (message: string) => ({ type: "notice", message }) as never;

  test("the first is written at once, the others together at the end of the turn", () => {
    const { sink, timers, writer } = createWriter();
    const endTurn = timers.holdTurn();
    for (const message of ["a", "b", "c"]) writer.send(notice(message));
    expect(sink.frames).toHaveLength(1);
    endTurn();
    expect(sink.frames.map(({ message }) => message)).toEqual(["a", "b", "c"]);
    expect(sink.writes).toBe(2);
  });

  test("many bytes are not kept until the end", () => {
    const { sink, timers, writer } = createWriter();
    timers.holdTurn();
    for (let n = 0; n < 5; n++) writer.send(notice("x".repeat(100_000)));
    expect(sink.frames.length).toBeGreaterThanOrEqual(4);
  });

  test("who ends the program does not wait for the end", async () => {
    const { sink, timers, writer } = createWriter();
    timers.holdTurn();
    writer.send(notice("a"));
    writer.send(notice("last"));
    await writer.drain();
    expect(sink.frames.map(({ message }) => message)).toEqual(["a", "last"]);
  });

  test("a reader that is slow meanwhile gets them afterwards, in order", async () => {
    const { sink, timers, writer } = createWriter();
    sink.block();
    const endTurn = timers.holdTurn();
    for (const message of ["a", "b"]) writer.send(notice(message));
    endTurn();
    writer.send(notice("c"));
    sink.unblock();
    await settle();
    expect(sink.frames.map(({ message }) => message)).toEqual(["a", "b", "c"]);
  });
});

describe("message updates", () => {
  test("carry the message and the partial in full", () => {
    const { sink, writer } = createWriter();
    const answer = new StreamedMessage();
    const frames = [answer.startText(), answer.text('say "hi"\n'), answer.endText()];
    for (const frame of frames) writer.send(frame);
    expect(sink.frames).toEqual(JSON.parse(JSON.stringify(frames.map((frame) => ({ ...frame, messageId: "msg-1" })))));
  });

  test("keep every field but the content in delta mode", () => {
    const { sink, writer } = createWriter();
    writer.setUpdateMode("delta");
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    writer.send(answer.text("hi"));
    const message = { ...answer.message, content: [] };
    expect(sink.frames.at(-1)).toEqual({
      type: "message_update",
      messageId: "msg-1",
      message,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "hi", partial: message },
    });
  });

  test("the first delta of a block leaves at once, later ones are joined for 50 ms", () => {
    const { sink, timers, writer } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    for (const delta of ["a", "b", "c"]) writer.send(answer.text(delta));
    expect(sink.takeFrames().map(brief)).toEqual(["text_start", "text_delta:a"]);
    timers.advance(49);
    expect(sink.takeFrames()).toEqual([]);
    timers.advance(1);
    const [joined] = sink.takeFrames();
    expect(brief(joined)).toBe("text_delta:bc");
    expect(joined.message.content).toEqual([{ type: "text", text: "abc" }]);
    expect(joined.assistantMessageEvent.partial).toEqual(joined.message);
  });

  test("a delta that comes after the window leaves at once", () => {
    const { sink, timers, writer } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    writer.send(answer.text("a"));
    timers.advance(50);
    writer.send(answer.text("b"));
    expect(sink.frames.map(brief)).toEqual(["text_start", "text_delta:a", "text_delta:b"]);
    expect(timers.pendingCount).toBe(0);
  });

  test("the window grows with the frame, so that 256 KB/s are not exceeded", () => {
    const { sink, timers, writer } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    writer.send(answer.text("x".repeat(128_000))); // twice in full and once as delta: 384 KB, 1.5 s
    sink.takeFrames();
    writer.send(answer.text("y"));
    timers.advance(1499);
    expect(sink.takeFrames()).toEqual([]);
    timers.advance(10);
    expect(sink.takeFrames().map(brief)).toEqual(["text_delta:y"]);
  });

  test("the window is 16 ms in delta mode", () => {
    const { sink, timers, writer } = createWriter();
    writer.setUpdateMode("delta");
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    writer.send(answer.text("x".repeat(128_000)));
    sink.takeFrames();
    writer.send(answer.text("y"));
    timers.advance(15);
    expect(sink.takeFrames()).toEqual([]);
    timers.advance(1);
    expect(sink.takeFrames().map(brief)).toEqual(["text_delta:y"]);
  });

  test("deltas that wait when the mode changes leave in the old mode", () => {
    const { sink, writer } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    for (const delta of ["a", "b"]) writer.send(answer.text(delta));
    writer.setUpdateMode("delta");
    expect(sink.frames.map((frame) => [brief(frame), frame.message.content.length])).toEqual([
      ["text_start", 1],
      ["text_delta:a", 1],
      ["text_delta:b", 1],
    ]);
  });

  test("any other frame sends the waiting deltas first", () => {
    const { sink, timers, writer } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    for (const delta of ["a", "b"]) writer.send(answer.text(delta));
    writer.send({ type: "response" });
    writer.send(answer.text("c"));
    writer.send(answer.endText());
    expect(sink.frames.map(brief)).toEqual([
      "text_start",
      "text_delta:a",
      "text_delta:b",
      "response",
      "text_delta:c",
      "text_end",
    ]);
    expect(timers.pendingCount).toBe(0);
  });

  test("deltas of different blocks are not joined, and each block starts at once", () => {
    const { sink, writer } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startThinking());
    for (const delta of ["1", "2"]) writer.send(answer.thinking(delta));
    writer.send(answer.startText());
    for (const delta of ["a", "b"]) writer.send(answer.text(delta));
    writer.send(answer.endText());
    expect(sink.frames.map(brief)).toEqual([
      "thinking_start",
      "thinking_delta:1",
      "thinking_delta:2",
      "text_start",
      "text_delta:a",
      "text_delta:b",
      "text_end",
    ]);
  });

  test("a block of the next message starts at once although it has the same place", () => {
    const { sink, writer } = createWriter();
    for (const answer of [new StreamedMessage(), new StreamedMessage()]) {
      for (const frame of [answer.startText(), answer.text("a")]) writer.send(frame);
    }
    expect(sink.frames.map(brief)).toEqual(["text_start", "text_delta:a", "text_start", "text_delta:a"]);
  });
});

describe("tool progress", () => {
  test("is sent at most every 100 ms per call; the newest replaces the others", () => {
    const { sink, timers, writer } = createWriter();
    for (const text of ["1", "2", "3"]) writer.send(toolUpdate("t1", text));
    expect(sink.takeFrames().map(brief)).toEqual(["t1:1"]);
    timers.advance(99);
    expect(sink.takeFrames()).toEqual([]);
    timers.advance(1);
    expect(sink.takeFrames().map(brief)).toEqual(["t1:3"]);
  });

  test("calls that run together are limited each for itself and never overtake one another", () => {
    const { sink, timers, writer } = createWriter();
    writer.send(toolUpdate("t1", "a1"));
    timers.advance(50);
    writer.send(toolUpdate("t2", "b1"));
    writer.send(toolUpdate("t1", "a2"));
    writer.send(toolUpdate("t2", "b2"));
    writer.send(toolUpdate("t1", "a3"));
    expect(sink.takeFrames().map(brief)).toEqual(["t1:a1", "t2:b1"]);
    timers.advance(99);
    expect(sink.takeFrames()).toEqual([]); // a3 could leave, but b2 was reported before it
    timers.advance(1);
    expect(sink.takeFrames().map(brief)).toEqual(["t2:b2", "t1:a3"]);
  });

  test("of a call that has ended does not delay a later one with the same id", () => {
    const { sink, writer } = createWriter();
    for (const frame of [toolUpdate("t1", "1"), toolEnd("t1"), toolUpdate("t1", "2")]) writer.send(frame);
    expect(sink.frames.map(brief)).toEqual(["t1:1", "tool_execution_end", "t1:2"]);
  });

  test("waiting progress precedes the end of its call", () => {
    const { sink, timers, writer } = createWriter();
    for (const text of ["1", "2", "3"]) writer.send(toolUpdate("t1", text));
    writer.send(toolEnd("t1"));
    expect(sink.frames.map(brief)).toEqual(["t1:1", "t1:3", "tool_execution_end"]);
    expect(timers.pendingCount).toBe(0);
  });

  test("shows the last 8 KiB of text and never half a character", () => {
    const { sink, timers, writer } = createWriter();
    writer.send(toolUpdate("t1", `${"x".repeat(20_000)}the end`));
    timers.advance(100);
    writer.send(toolUpdate("t1", `a${"😀".repeat(5_000)}`));
    timers.advance(100);
    writer.send(toolUpdate("t1", `${"漢".repeat(5_000)}`));
    const texts = sink.frames.map((frame) => frame.partialResult.content[0].text);
    expect(texts).toEqual([`${"x".repeat(8185)}the end`, "😀".repeat(2048), "漢".repeat(2730)]);
  });

  test("the limit counts all text blocks together and leaves the rest alone", () => {
    const { sink, writer } = createWriter();
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const content = [
      { type: "text", text: "gone" },
      { type: "text", text: "a".repeat(100) },
      image,
      { type: "text", text: "b".repeat(8152) },
      { type: "text", text: "" },
    ] as const;
    writer.send({ ...toolUpdate("t1", ""), partialResult: { content, details: { lines: 3 } } } as never);
    expect(sink.frames[0].partialResult).toEqual({
      content: [{ type: "text", text: "a".repeat(40) }, image, content[3], content[4]],
      details: { lines: 3 },
    });
  });

  test("of a host's tool is passed on as it came", () => {
    const { sink, writer } = createWriter();
    writer.isHostTool = (name) => name === "bash";
    const frame = toolUpdate("t1", "x".repeat(20_000));
    writer.send(frame);
    expect(sink.frames).toEqual([frame]);
  });
});

describe("a slow reader", () => {
  test("gets the deltas of the time it did not read as one", async () => {
    const { sink, timers, writer } = createWriter();
    const answer = new StreamedMessage();
    sink.block();
    writer.send(answer.startText());
    for (let i = 0; i < 100; i++) {
      writer.send(answer.text(`${i},`));
      timers.advance(60);
    }
    expect(sink.writes).toBe(1);
    sink.unblock();
    await settle();
    const all = Array.from({ length: 100 }, (_, i) => `${i},`).join("");
    expect(sink.frames.map(brief)).toEqual(["text_start", `text_delta:${all}`]);
  });

  test("gets everything else, in order", async () => {
    const { sink, timers, writer } = createWriter();
    const answer = new StreamedMessage();
    sink.block();
    writer.send({ type: "turn_start" });
    writer.send(answer.startText());
    for (const delta of ["a", "b"]) writer.send(answer.text(delta));
    writer.send(answer.endText());
    for (const text of ["1", "2"]) writer.send(toolUpdate("t1", text));
    timers.advance(1000);
    writer.send(toolUpdate("t1", "3"));
    writer.send({ type: "response" });
    sink.unblock();
    await settle();
    expect(sink.frames.map(brief)).toEqual([
      "turn_start",
      "text_start",
      "text_delta:ab",
      "text_end",
      "t1:3",
      "response",
    ]);
  });

  test("pauses the producer past 64 MiB until enough was read", async () => {
    const { sink, writer } = createWriter();
    const message = "x".repeat(40 * 1024 * 1024);
    sink.block();
    writer.send({ type: "notice", message } as never);
    expect(writer.ready()).toBeUndefined();
    writer.send({ type: "notice", message } as never);
    let isReady = false;
    const ready = writer.ready()?.then(() => {
      isReady = true;
    });
    expect(ready).toBeDefined();
    sink.takeOne();
    await settle();
    expect(isReady).toBe(false);
    sink.unblock();
    await ready;
    expect(writer.ready()).toBeUndefined();
  });

  test("drain sends what waits and resolves when all of it was taken", async () => {
    const { sink, writer } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    for (const delta of ["a", "b"]) writer.send(answer.text(delta));
    sink.block();
    let isDrained = false;
    const drained = writer.drain().then(() => {
      isDrained = true;
    });
    await settle();
    expect(isDrained).toBe(false);
    sink.unblock();
    await drained;
    expect(sink.frames.map(brief)).toEqual(["text_start", "text_delta:a", "text_delta:b"]);
  });

  test("drain does not wait for a reader that has taken everything but what was sent meanwhile", async () => {
    const { sink, timers, writer } = createWriter();
    sink.block();
    writer.send({ type: "agent_start" });
    const drained = writer.drain();
    const endTurn = timers.holdTurn();
    sink.unblock();
    for (let tick = 0; tick < 10; tick += 1) {
      await Promise.resolve();
      for (const type of ["turn_start", "turn_end"]) writer.send({ type });
    }
    await drained;
    endTurn();
    expect(sink.frames).toHaveLength(21);
  });

  test("drain gives up a reader that takes nothing, but not one that goes on", async () => {
    const { sink, timers, writer } = createWriter();
    sink.block();
    writer.send({ type: "notice", message: "x".repeat(1024 * 1024) } as never); // several pieces
    let isDrained = false;
    const drained = writer.drain({ stallMs: 5000 }).then(() => {
      isDrained = true;
    });
    for (let i = 0; i < 3; i++) {
      timers.advance(4000);
      sink.takeOne();
      await settle();
    }
    expect(isDrained).toBe(false);
    timers.advance(5000);
    await drained;
    expect(timers.pendingCount).toBe(0);
  });
});

describe("a lost reader", () => {
  test("is reported once and ends all waiting", async () => {
    const { sink, writer, lost } = createWriter();
    sink.block();
    writer.send({ type: "notice", message: "x".repeat(65 * 1024 * 1024) } as never);
    const waiting = Promise.all([writer.ready(), writer.drain()]);
    sink.lose();
    await waiting;
    writer.send({ type: "agent_start" });
    await writer.drain();
    expect(lost).toEqual([expect.objectContaining({ code: "EPIPE" })]);
    expect(writer.ready()).toBeUndefined();
  });

  test("is noticed when a write throws, and nothing waits for a timer any more", () => {
    const { sink, timers, writer, lost } = createWriter();
    const answer = new StreamedMessage();
    writer.send(answer.startText());
    for (const delta of ["a", "b"]) writer.send(answer.text(delta));
    sink.lose();
    writer.send({ type: "agent_start" });
    writer.send(answer.text("c"));
    expect(lost).toHaveLength(1);
    expect(timers.pendingCount).toBe(0);
  });
});
