import { describe, expect, test } from "bun:test";
import type { Tool } from "@pintle/agent";
import { scriptedModel } from "@pintle/ai/testing";
import { FrameWriter } from "../../../src/modes/frames/frame-writer.ts";
import { runJsonMode } from "../../../src/modes/json-mode.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import { FakeSink } from "../../support/modes/frames/fake-sink.ts";
import { FakeTimers, settle } from "../../support/modes/frames/fake-timers.ts";
import { machine } from "../../support/scenarios/stored-sessions.ts";

// What a host can have received before something irreversible happens.

describe("delivered", () => {
  test("resolves a turn after the system has everything", async () => {
    const sink = new FakeSink();
    const timers = new FakeTimers();
    const writer = new FrameWriter({ sink, timers });
    const endTurn = timers.holdTurn();
    for (const type of ["a", "b", "c"]) writer.send({ type });
    expect(sink.frames).toHaveLength(1); // those that follow the first wait for the end of the turn
    let isDelivered = false;
    const delivered = writer.delivered().then(() => {
      isDelivered = true;
    });
    expect(sink.frames.map(({ type }) => type)).toEqual(["a", "b", "c"]);
    expect(isDelivered).toBe(false);
    endTurn();
    await delivered;
  });

  test("waits for a slow reader, but not long for one that does not read", async () => {
    const sink = new FakeSink();
    const timers = new FakeTimers();
    const writer = new FrameWriter({ sink, timers });
    sink.block();
    writer.send({ type: "a" });
    let isDelivered = false;
    void writer.delivered().then(() => {
      isDelivered = true;
    });
    timers.advance(999);
    await settle();
    expect(isDelivered).toBe(false);
    timers.advance(1);
    await settle();
    expect(isDelivered).toBe(true);
  });
});

test("a tool begins when its start was written, and the end of a run is a write of its own", async () => {
  using place = machine();
  const writes: { text: string; turn: number }[] = [];
  let turn = 0;
  let isOver = false;
  const countTurns = () => {
    turn += 1;
    if (!isOver) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const sink = { write: (data: string | Uint8Array) => void writes.push({ text: String(data), turn }), flush: () => 0 };
  const seen: { ids: string[]; turns: number }[] = [];
  const work: Tool = {
    name: "work",
    label: "Work",
    description: "Works",
    parameters: {},
    async execute(_args, { id }) {
      const at = writes.findIndex(({ text }) => text.includes(`"tool_execution_start","toolCallId":"${id}"`));
      seen.push({ ids: at === -1 ? [] : [id], turns: at === -1 ? 0 : turn - writes[at]!.turn });
      return { content: [{ type: "text", text: "done" }] };
    },
  };
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: place.env,
    stream: scriptedModel([
      [{ text: "I will" }, { call: "work", id: "one" }, { call: "work", id: "two" }],
      [{ text: "done" }],
    ]).stream,
    agentTools: [work],
  });
  const writer = new FrameWriter({ sink });
  expect(
    await runJsonMode(session, [{ text: "go", images: [] }], {
      writer,
      send: (event) => writer.send(event),
      complain: () => {},
    }),
  ).toBe(0);
  await writer.drain();
  await session.dispose();
  isOver = true;
  expect(seen.flatMap(({ ids }) => ids).sort()).toEqual(["one", "two"]); // side by side: either may be first
  for (const { turns } of seen) expect(turns).toBeGreaterThan(0);
  const types = writes.map(({ text, ...rest }) => ({
    types: text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type as string),
    ...rest,
  }));
  const end = types.find((write) => write.types.includes("agent_end"));
  const settled = types.find((write) => write.types.includes("agent_settled"));
  expect(end?.types.at(-1)).toBe("agent_end");
  expect(settled?.types[0]).toBe("agent_settled");
  expect(settled!.turn).toBeGreaterThan(end!.turn);
});
