import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { findOwnRipgrep } from "../../../../exec/src/native/ripgrep.ts";
import { OptionFuzz } from "../../support/permissions/option-fuzz.ts";
import { plainReading } from "../../support/permissions/plain-reading.ts";
import { testWith } from "../../support/system-tool.ts";

// Uses the real programs as the reference: every command judged read-only runs, and must write nothing, start nothing and
// read nothing outside.

const BUDGET_MS = 4_000;
const LINES = 300;

const ripgrep = await findOwnRipgrep();
if (ripgrep && !Bun.which("rg")) process.env.PATH = `${process.env.PATH}:${dirname(ripgrep)}`;

testWith("tree")("read-only programs do nothing but read, with generated options", async () => {
  using fuzz = new OptionFuzz();
  const first = Number(process.env.PINTLE_PROPERTY_SEED ?? 1);
  const until = performance.now() + BUDGET_MS;
  const programs = new Set<string>();
  for (let seed = first; seed === first || performance.now() < until; seed += 1) {
    const report = fuzz.run(seed, LINES);
    expect([`seed ${seed}`, report.faults]).toEqual([`seed ${seed}`, []]);
    for (const name of report.programs.keys()) programs.add(name);
  }
  expect([...programs]).toEqual(expect.arrayContaining(["find", "sort", "tree", "rg"]));
});

test("the check finds programs that write, start others or read outside", () => {
  using fuzz = new OptionFuzz((text) => ({
    command: { text, programs: [] },
    paths: [],
    reading: plainReading({ readOnlyPrograms: [true], patternPrograms: [false], script: text }),
  }));
  const faultOf = (text: string) => fuzz.check([text])[0] ?? "";
  expect(faultOf("sort a.txt -oOUT")).toContain("changed files");
  expect(faultOf("uniq a.txt -- --group=2")).toContain("changed files");
  expect(faultOf("find . -maxdepth 0 -exec ./evil.sh ';'")).toContain("started a program");
  expect(faultOf("cat up/secret")).toContain("read a file outside");
  expect(faultOf("cat a.txt")).toBe("");
});
