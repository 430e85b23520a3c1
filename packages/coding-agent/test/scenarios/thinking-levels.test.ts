import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

// Tests the levels `max` and `auto`, which newer clients of the family send.

/** An environment whose models are `m1`, which supports levels up to `high`, and `deep`, which supports `max`. */
async function thinkers(...answers: Parameters<typeof chatPlace>) {
  const chat = await chatPlace(...answers);
  const models = [
    { id: "m1", reasoning: true },
    { id: "deep", reasoning: true, thinkingLevelMap: { xhigh: "more", max: "most", auto: null } },
    { id: "odd:max", reasoning: true },
  ];
  const providers = { x: { baseUrl: chat.server.url, api: "openai-completions", auth: "none", models } };
  writeFileSync(join(chat.place.env.PINTLE_HOME as string, "models.json"), JSON.stringify({ providers }));
  return chat;
}

const state = async (rpc: { call(type: string): Promise<Frame> }) => {
  const { data } = await rpc.call("get_state");
  return [data.model.id, data.thinkingLevel];
};

test.each([
  [
    ["--model", "x/m1:max"],
    ["m1", "high"],
  ],
  [
    ["--model", "x/m1:auto"],
    ["m1", "medium"],
  ],
  [
    ["--model", "x/m1", "--thinking", "max"],
    ["m1", "high"],
  ],
  [
    ["--model", "x/m1", "--thinking", "auto"],
    ["m1", "medium"],
  ],
  [
    ["--model", "x/deep:max"],
    ["deep", "max"],
  ],
  [
    ["--provider", "x", "--model", "new:max"],
    ["new", "high"],
  ],
  [
    ["--model", "x/odd:max"],
    ["odd:max", "medium"],
  ],
  [
    ["--models", "x/deep:max"],
    ["deep", "max"],
  ],
])("%j in the dialect pi", async (args, expected) => {
  await using chat = await thinkers();
  await using rpc = await startRpc([...args], { ...chat.place, dialect: "pi" });
  expect(await state(rpc)).toEqual(expected);
});

describe("a model that supports max", () => {
  const SEED = ["off", "minimal", "low", "medium", "high", "xhigh"];
  test.each([
    ["seed", "xhigh", SEED],
    ["pi", "max", [...SEED, "max"]],
    ["omp", "max", [...SEED, "max"]],
  ] as const)("receives it, and the dialect %s reports %s", async (dialect, reported, levels) => {
    await using chat = await thinkers(says("one"), says("two"));
    await using rpc = await startRpc(["--model", "x/deep"], { ...chat.place, ...(dialect !== "seed" && { dialect }) });
    expect((await rpc.call("get_available_thinking_levels")).data.levels).toEqual(levels);
    expect(await rpc.call("set_thinking_level", { level: "max" })).toMatchObject({ success: true });
    await rpc.until(({ type, level }) => type === "thinking_level_changed" && level === reported);
    expect(await state(rpc)).toEqual(["deep", reported]);
    await rpc.prompt("hi");
    await rpc.call("set_thinking_level", { level: "auto" });
    expect(await state(rpc)).toEqual(["deep", "medium"]);
    await rpc.prompt("again");
    expect(chat.server.requests.map(({ body }) => body.reasoning_effort)).toEqual(["most", "medium"]);
  });
});
