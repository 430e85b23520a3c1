import { describe, expect, test } from "bun:test";
import { scenarioFrom } from "../src/from-frames.ts";
import { filled, fits, withTextAt } from "../src/patterns.ts";
import { Player } from "../src/player.ts";
import { type Frame, readScenario } from "../src/scenario.ts";
import { SCENARIOS } from "../src/scenarios/all-scenarios.ts";

function playing(steps: object[], answers?: object) {
  const written: string[] = [];
  const player = new Player(readScenario({ steps, answers }), {
    write: (text) => void written.push(text),
    crash: () => Promise.reject(new Error("crashed")),
    patienceMs: 60_000,
  });
  const say = (frame: object) => player.receive(JSON.stringify(frame));
  const frames = () => written.map((text) => JSON.parse(text) as Frame);
  return { player, say, frames, written };
}

describe("a scenario", () => {
  test("waits for the host's frames, keeps them, and refers to their fields", async () => {
    const { player, say, frames } = playing([
      { expect: { type: "prompt" }, as: "p" },
      { respond: "p" },
      { send: { type: "echo", text: "$p.message", deep: [{ id: "$p.id" }], plain: "$nobody.id" } },
    ]);
    const played = player.play();
    say({ id: "1", type: "prompt", message: "hi" });
    player.hostClosed();
    await played;
    expect(frames()).toEqual([
      { id: "1", type: "response", command: "prompt", success: true },
      { type: "echo", text: "hi", deep: [{ id: "1" }], plain: "$nobody.id" },
    ]);
  });

  test("frames that arrive before their step are kept for it, others are answered immediately", async () => {
    const { player, say, frames } = playing(
      [{ expect: { type: "a" } }, { expect: { type: "b" }, as: "b" }, { respond: "b", error: "no", code: "busy" }],
      { get_state: { isStreaming: false }, silent: null },
    );
    const played = player.play();
    for (const frame of [
      { id: 2, type: "b" },
      { id: 3, type: "get_state" },
      { type: "silent" },
      { id: 4, type: "other" },
    ])
      say(frame);
    say({ type: "a" });
    player.receive("no json");
    player.hostClosed();
    await played;
    expect(frames()).toEqual([
      { id: 3, type: "response", command: "get_state", success: true, data: { isStreaming: false } },
      { id: 4, type: "response", command: "other", success: true },
      { type: "response", command: "parse", success: false, error: "Failed to parse command" },
      { id: 2, type: "response", command: "b", success: false, error: "no", code: "busy" },
    ]);
  });

  test("names a step that fails", async () => {
    const { player } = playing([{ wait: 0 }, { repeat: 2, steps: [{ expect: { type: "x" } }] }]);
    const played = player.play().catch(String);
    player.hostClosed();
    expect(await played).toBe('Error: steps[1].steps[0], {"expect":{"type":"x"}}: the host closed stdin');
    const late = playing([{ expect: { type: "x" }, withinMs: 1 }]).player.play();
    expect(await late.catch(String)).toContain("it did not arrive within 1 ms");
    expect(
      await playing([{ respond: "none" }])
        .player.play()
        .catch(String),
    ).toContain("no frame was kept as none");
  });

  test.each([
    [7, "a scenario is an object with steps"],
    [{}, "steps must be a list"],
    [{ steps: [7] }, "steps[0] must be an object"],
    [{ steps: [{ send: {}, wait: 1 }] }, "steps[0] must have exactly one of send, raw, expect"],
    [{ steps: [{ repeat: 1, steps: [{ wait: -1 }] }] }, "steps[0].steps[0].wait has a wrong value"],
  ])("%j is refused: %s", (value, text) => {
    expect(() => readScenario(value)).toThrow(text);
  });

  test("the shipped scenarios are valid", () => {
    for (const scenario of Object.values(SCENARIOS))
      expect(readScenario(JSON.parse(JSON.stringify(scenario)))).toBeDefined();
    expect(Object.keys(SCENARIOS).length).toBeGreaterThanOrEqual(20);
  });
});

describe("patterns", () => {
  test("a frame matches if it has at least the fields", () => {
    expect(fits({ a: 1, b: { c: [1, { d: 2 }] } }, { b: { c: [1, {}] } })).toBe(true);
    for (const pattern of [{ a: 2 }, { x: undefined, b: 1 }, { b: { c: [1] } }, []]) {
      expect(fits({ a: 1, b: { c: [1, { d: 2 }] } }, pattern)).toBe(false);
    }
  });

  test("missing parents of a string are created", () => {
    expect(withTextAt({ a: [{ t: "" }] }, "a.0.t", "x")).toEqual({ a: [{ t: "x" }] });
    expect(withTextAt({}, "a.b", "x")).toEqual({ a: { b: "x" } });
    expect(filled({ at: "$p.a.b" }, new Map([["p", { a: { b: 7 } }]]))).toEqual({ at: 7 });
  });
});

test("a conversation becomes a scenario that answers other ids", async () => {
  const scenario = scenarioFrom([
    { way: "agent", text: '{"type":"ready"}', atMs: 0 },
    { way: "host", text: '{"id":"old","type":"prompt","message":"hi"}', atMs: 10 },
    { way: "agent", text: '{"id":"old","type":"response","command":"prompt","success":true}', atMs: 12 },
    { way: "agent", text: '{"type":"extension_ui_request","id":"old","method":"confirm"}', atMs: 300 },
    { way: "agent", text: "noise", atMs: 301 },
  ]);
  expect(scenario.steps).toEqual([
    { send: { type: "ready" } },
    { expect: { type: "prompt" }, as: "host-1" },
    { send: { id: "$host-1.id", type: "response", command: "prompt", success: true } },
    { wait: 288 },
    { send: { type: "extension_ui_request", id: "old", method: "confirm" } },
    { raw: "noise\n" },
  ]);
});
