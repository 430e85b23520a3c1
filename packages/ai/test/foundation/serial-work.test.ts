import { expect, test } from "bun:test";
import fc from "fast-check";
import { SerialWork } from "../../src/foundation/serial-work.ts";

test("a job starts when all earlier ones have finished, however they end", async () => {
  const job = fc.record({ turns: fc.nat(5), pause: fc.nat(3), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 20 }), async (jobs) => {
      const work = new SerialWork();
      const steps: string[] = [];
      const results: Promise<number>[] = [];
      for (const [index, { turns, pause, fails }] of jobs.entries()) {
        const result = work.run(async () => {
          steps.push(`begin ${index}`);
          for (let turn = 0; turn < turns; turn += 1) await undefined;
          steps.push(`end ${index}`);
          if (fails) throw new Error(`no ${index}`);
          return index;
        });
        result.catch(() => {});
        results.push(result);
        expect(work.isIdle).toBe(false);
        for (let turn = 0; turn < pause; turn += 1) await undefined;
      }
      await work.settled();
      expect(work.isIdle).toBe(true);
      expect(steps).toEqual(jobs.flatMap((_, index) => [`begin ${index}`, `end ${index}`]));
      expect(await Promise.allSettled(results)).toMatchObject(
        jobs.map(({ fails }, value) => (fails ? { reason: new Error(`no ${value}`) } : { value })),
      );
    }),
  );
});

test("a job that throws synchronously rejects its own call", async () => {
  const work = new SerialWork();
  const thrown = work.run(() => {
    throw new Error("no");
  });
  expect(await Promise.allSettled([thrown, work.run(() => "next")])).toMatchObject([
    { reason: new Error("no") },
    { value: "next" },
  ]);
});
