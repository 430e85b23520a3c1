import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PRICES, prices } from "../../src/models/prices.ts";

const SCRIPT = resolve(import.meta.dir, "../../../../scripts/renew-catalogue.mjs");
const CHECKED_IN = resolve(import.meta.dir, "../../src/models/prices.ts");

interface ListedModel {
  id: string;
  match?: object;
  context_window?: number;
  prices: unknown;
}

/** A price list in the package's format that says what is checked in, for tests to change. */
function currentList(): Map<string, ListedModel> {
  return new Map(
    Object.entries(prices).map(([name, [input, output, cacheRead, cacheWrite, window]]) => [
      name,
      {
        id: name.slice(name.indexOf("/") + 1),
        match: { equals: name.slice(name.indexOf("/") + 1) },
        context_window: window,
        prices: { input_mtok: input, output_mtok: output, cache_read_mtok: cacheRead, cache_write_mtok: cacheWrite },
      },
    ]),
  );
}

/** Runs the script on a list, writing beside it. */
function renew(list: Map<string, ListedModel>, ...flags: string[]) {
  const dir = mkdtempSync(join(tmpdir(), "pintle-prices-"));
  try {
    const providers = Object.groupBy(list, ([name]) => name.slice(0, name.indexOf("/")).replace(/^xai$/, "x-ai"));
    const data = Object.entries(providers).map(([id, models]) => ({ id, models: models?.map(([, model]) => model) }));
    writeFileSync(join(dir, "data.json"), JSON.stringify({ providers: data, units: {} }));
    writeFileSync(join(dir, "prices.ts"), "untouched");
    const run = Bun.spawnSync([
      process.execPath,
      SCRIPT,
      join(dir, "data.json"),
      "--to",
      join(dir, "prices.ts"),
      ...flags,
    ]);
    const said = `${run.stdout}${run.stderr}`.replaceAll(dir, "");
    return { exitCode: run.exitCode, said, written: readFileSync(join(dir, "prices.ts"), "utf8") };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const named = ["--source", PRICES.source, "--date", PRICES.date];

describe("renewing the prices", () => {
  test("from what is known already gives the checked-in file", () => {
    const { exitCode, said, written } = renew(currentList(), ...named, "--write");
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: "wrote /prices.ts\n" });
    expect(written).toBe(readFileSync(CHECKED_IN, "utf8"));
  });

  test("shows what has changed and writes nothing unless told", () => {
    const list = currentList();
    const haiku = list.get("anthropic/claude-haiku-4-5") as ListedModel;
    haiku.prices = { input_mtok: 2, output_mtok: 6, cache_read_mtok: 0.2 };
    haiku.context_window = 300_000;
    expect(renew(list, ...named)).toEqual({
      exitCode: 0,
      said: "anthropic/claude-haiku-4-5: 1 5 0.1 1.25 200000 → 2 6 0.2 0 300000\nnothing written; --write does that\n",
      written: "untouched",
    });
  });

  test("takes the price of the day, without surcharges", () => {
    const list = currentList();
    const price = (input: unknown) => ({ input_mtok: input, output_mtok: 9 });
    const haiku = list.get("anthropic/claude-haiku-4-5") as ListedModel;
    haiku.prices = [
      { prices: price(1) },
      {
        constraint: { type: "start_date", start_date: "2026-01-01" },
        prices: price({ base: 2, tiers: [{ start: 9, price: 4 }] }),
      },
      { constraint: { type: "time_of_date", start_time: "01:00:00Z", end_time: "04:00:00Z" }, prices: price(5) },
      { constraint: { type: "start_date", start_date: "2027-01-01" }, prices: price(7) },
    ];
    expect(renew(list, ...named).said).toContain("claude-haiku-4-5: 1 5 0.1 1.25 200000 → 2 9 0 0 200000\n");
  });

  test.each([
    [{ starts_with: "claude-haiku-4" }],
    [{ or: [{ equals: "x" }, { and: [{ contains: "haiku" }, { ends_with: "4-5" }] }] }],
    [{ regex: "^claude-haiku-4-\\d$" }],
  ])("finds a model by the list's rule %j", (match) => {
    const list = currentList();
    const haiku = list.get("anthropic/claude-haiku-4-5") as ListedModel;
    list.set("anthropic/claude-haiku-4-5", { ...haiku, id: "haiku", match });
    expect(renew(list, ...named)).toMatchObject({ exitCode: 0, said: "nothing written; --write does that\n" });
  });

  test.each<[string, (list: Map<string, ListedModel>) => void]>([
    ["that is gone", (list) => list.delete("zai/glm-5.3")],
    ["without a window", (list) => delete list.get("zai/glm-5.3")?.context_window],
    ["without a price", (list) => Object.assign(list.get("zai/glm-5.3") ?? {}, { prices: { input_mtok: 1 } })],
  ])("stops at a model %s", (_how, change) => {
    const list = currentList();
    change(list);
    const { exitCode, said, written } = renew(list, ...named, "--write");
    expect([exitCode, written]).toEqual([1, "untouched"]);
    expect(said).toStartWith(`not in ${PRICES.source}: zai/glm-5.3. `);
  });

  test.each([
    [["--date", "2026-11-15"], "a list from a file needs --source, which names it and its version\n"],
    [["--source", "x", "--date", "today"], "--date today is not a date such as 2026-11-15\n"],
  ])("without its origin there is no list: %j", (flags, said) => {
    expect(renew(currentList(), ...flags)).toEqual({ exitCode: 1, said, written: "untouched" });
  });
});
