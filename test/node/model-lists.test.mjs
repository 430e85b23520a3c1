// The generated model lists: they are what the pinned price list gives, and contain only models an agent can use.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findProvider } from "@pydantic/genai-prices";
import { root } from "../../scripts/paths.mjs";
import { generateLists } from "../../scripts/renew-catalogue.mjs";

const LISTS = join(root, "packages/ai/src/models/lists");
const ORIGIN = { version: "0.1.8", date: "2026-09-23" };
const MODEL = {
  id: "claude-x",
  name: "Claude X",
  match: { equals: "claude-x" },
  context_window: 200_000,
  prices: { input_mtok: 1, output_mtok: 5, cache_read_mtok: 0.1 },
};

/** Returns the generated row of a model of Anthropic, or undefined if it was left out. */
function rowOf(model) {
  const models = [{ ...MODEL, ...model }];
  const files = generateLists((id) => ({ models: id === "anthropic" ? models : [] }), ORIGIN);
  return /`\n(.+)\n`/.exec(files["anthropic.ts"])?.[1];
}

test("the pinned price list gives the checked-in files", () => {
  const generated = generateLists((providerId) => findProvider({ providerId }), ORIGIN);
  const names = readdirSync(LISTS).sort();
  assert.deepEqual(names, Object.keys(generated).sort());
  for (const name of names) assert.equal(readFileSync(join(LISTS, name), "utf8"), generated[name]);
});

test("a row has id, name, prices and window", () => {
  assert.equal(rowOf({}), "claude-x\tClaude X\t1\t5\t0.1\t0\t200000");
});

test("the price is the one of the day, without surcharges", () => {
  const price = (input) => ({ input_mtok: input, output_mtok: 9 });
  const prices = [
    { prices: price(1) },
    {
      constraint: { type: "start_date", start_date: "2026-01-01" },
      prices: price({ base: 2, tiers: [{ start: 9, price: 4 }] }),
    },
    { constraint: { type: "time_of_date", start_time: "01:00:00Z", end_time: "04:00:00Z" }, prices: price(5) },
    { constraint: { type: "start_date", start_date: "2027-01-01" }, prices: price(7) },
  ];
  assert.equal(rowOf({ prices }), "claude-x\tClaude X\t2\t9\t0\t0\t200000");
});

for (const [name, match, id] of [
  ["the id itself if the rule accepts it", { starts_with: "claude-" }, "claude-x"],
  [
    "an exact id of the rule otherwise",
    { or: [{ equals: "vendor/claude-x" }, { contains: "zzz" }] },
    "vendor/claude-x",
  ],
  ["the id if a pattern accepts it", { regex: "^claude-\\w$" }, "claude-x"],
  ["the id if both conditions accept it", { and: [{ contains: "claude" }, { ends_with: "x" }] }, "claude-x"],
]) {
  test(`requests use ${name}`, () => assert.equal(rowOf({ match }).split("\t")[0], id));
}

for (const [name, model] of [
  ["without a window", { context_window: undefined }],
  ["with a small window", { context_window: 8_192 }],
  ["without an output price", { prices: { input_mtok: 1 } }],
  ["that is free", { prices: { input_mtok: 0, output_mtok: 0 } }],
  ["that is deprecated", { deprecated: true }],
  ["that makes images", { id: "claude-image", match: { equals: "claude-image" } }],
  ["that was retired", { id: "claude-3-opus", match: { equals: "claude-3-opus" } }],
]) {
  test(`a model ${name} is left out`, () => assert.equal(rowOf(model), undefined));
}

test("a provider that the list no longer has is an error", () => {
  assert.throws(() => generateLists(() => undefined, ORIGIN), /has no provider anthropic/);
});
