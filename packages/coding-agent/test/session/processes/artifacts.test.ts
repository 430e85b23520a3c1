import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { Artifacts } from "../../../src/session/processes/artifacts.ts";

const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 25 });

test("all outputs of a session together stay within the total, and the newest are kept", async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      using scratch = scratchDirectory();
      const artifacts = new Artifacts(
        () => join(scratch.path, "s.jsonl"),
        () => ({ each: 40, total: 120 }),
      );
      const paths: string[] = [];
      for (const length of lengths) {
        const path = await artifacts.newPath("bash");
        writeFileSync(path, "x".repeat(length), { flag: "wx" });
        paths.push(path);
        const kept = paths.map((known, index) => (existsSync(known) ? (lengths[index] as number) : undefined));
        expect(kept.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)).toBeLessThanOrEqual(120);
        expect(kept.lastIndexOf(undefined)).toBe(kept.filter((bytes) => bytes === undefined).length - 1);
      }
    }),
    { numRuns: 50 },
  );
});

test("a session that is opened again goes on counting where it was", async () => {
  using scratch = scratchDirectory();
  mkdirSync(join(scratch.path, "s"));
  writeFileSync(join(scratch.path, "s", "412.bash.log"), "");
  writeFileSync(join(scratch.path, "s", "mine.log"), "");
  const artifacts = new Artifacts(
    () => join(scratch.path, "s.jsonl"),
    () => ({ each: 1, total: 0 }),
  );
  expect(await artifacts.newPath("mcp_x")).toBe(join(scratch.path, "s", "413.mcp_x.log"));
  expect(readdirSync(join(scratch.path, "s"))).toContain("mine.log");
});

test("what belongs to a session in memory ends with it", async () => {
  const artifacts = new Artifacts(
    () => undefined,
    () => ({ each: 1, total: 1 }),
  );
  await artifacts.dispose(); // of a session without outputs
  const path = await artifacts.newPath("bash");
  writeFileSync(path, "x");
  await artifacts.dispose();
  expect(existsSync(dirname(path))).toBe(false);
});

test("what was never disposed of ends with the process", async () => {
  using scratch = scratchDirectory();
  const module = import.meta.resolve("../../../src/session/processes/artifacts.ts");
  const code = `
    const { Artifacts } = await import(${JSON.stringify(module)});
    const make = () => new Artifacts(() => undefined, () => ({ each: 1, total: 1 }));
    const first = make();
    await first.newPath("bash");
    await first.dispose();
    await first.newPath("bash");
    await make().newPath("bash");
    console.log((await import("node:fs")).readdirSync(process.env.TMPDIR).length);
    process.exit(0);`;
  const child = Bun.spawnSync([process.execPath, "-e", code], { env: { ...process.env, TMPDIR: scratch.path } });
  expect([child.stdout.toString(), readdirSync(scratch.path)]).toEqual(["2\n", []]);
});
