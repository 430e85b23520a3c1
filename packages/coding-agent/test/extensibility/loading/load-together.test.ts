import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { loadTogether } from "../../../src/extensibility/loading/load-together.ts";

const never = () => new Promise<never>(() => {});

describe("loading in parallel", () => {
  test("returns results in the order of the sources, however long each takes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(), { maxLength: 8 }),
        fc.infiniteStream(fc.nat({ max: 5 })),
        async (sources, waits) => {
          const load = async (source: number) => {
            for (let step = waits.next().value; step > 0; step -= 1) await Promise.resolve();
            return source * 2;
          };
          const { inTime, late } = await loadTogether(sources, load);
          expect(late).toEqual([]);
          expect(inTime).toEqual(sources.map((source) => ({ source, value: source * 2 })));
        },
      ),
    );
  });

  test("starts every load before the first one ends", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const load = async (source: string) => {
      if (source === "last") resolve("released");
      return promise;
    };
    const { inTime } = await loadTogether(["first", "last"], load);
    expect(inTime.map((loaded) => "value" in loaded && loaded.value)).toEqual(["released", "released"]);
  });

  test("a failure does not affect the others", async () => {
    const load = async (source: string) => {
      if (source === "bad") throw new Error("no good");
      return source;
    };
    const { inTime } = await loadTogether(["a", "bad", "b"], load);
    expect(inTime).toEqual([
      { source: "a", value: "a" },
      { source: "bad", error: "no good" },
      { source: "b", value: "b" },
    ]);
  });

  test("delivers a late result afterwards", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const load = (source: string) => (source === "slow" ? promise : Promise.resolve(source));
    const { inTime, late } = await loadTogether(["slow", "quick"], load, { readyMs: 0, giveUpMs: 60_000 });
    expect(inTime).toEqual([{ source: "quick", value: "quick" }]);
    resolve("at last");
    expect(await Promise.all(late)).toEqual([{ source: "slow", value: "at last" }]);
  });

  test("reports a load that hangs as an error", async () => {
    const { inTime, late } = await loadTogether(["hangs"], never, { readyMs: 0, giveUpMs: 20 });
    expect(inTime).toEqual([]);
    expect(await Promise.all(late)).toEqual([{ source: "hangs", error: "Still loading after 0.02 s" }]);
  });
});
