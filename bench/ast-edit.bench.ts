// Measures a preview of ast_edit against the bare engine: the same files read, parsed four at a time, searched and
// rewritten in memory, with a given list of files. The preview adds listing through ripgrep, checks for errors and
// overlaps, indentation, hashes, diff and text.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolInvocation } from "@pintle/agent";
import { Settings } from "../packages/coding-agent/src/config/settings/settings.ts";
import { execute } from "../packages/coding-agent/src/tools/ast-edit/execute.ts";
import type { ToolContext } from "../packages/coding-agent/src/tools/tool-context.ts";
import { loadAstEngine } from "../packages/exec/src/native/ast-engine.ts";
import { ProcessRunner } from "../packages/exec/src/processes/process-runner.ts";
import { median, printTable } from "./support/table.ts";

const ROUNDS = 15;
const PARALLEL = 4;
const directory = realpathSync(mkdtempSync(join(tmpdir(), "pintle-bench-")));
const processRunner = new ProcessRunner({ environment: process.env });

/** A module of about 9 KB in which one of `every` functions calls the replaced function. */
function moduleText(every: number): string {
  return Array.from({ length: 60 }, (_, index) => {
    const call = index % every === 0 ? `console.log("got", value, { index: ${index} });` : `report(value, ${index});`;
    return `export function step${index}(value: number): number {\n  ${call}\n  return value > 0 ? value * ${index} : -value;\n}\n`;
  }).join("\n");
}

const cases = {
  "300 files, 2 matches each": { files: 300, every: 30 },
  "300 files, 60 matches each": { files: 300, every: 1 },
  "20 files, 2 matches each": { files: 20, every: 30 },
};

const engine = loadAstEngine();

async function rewriteBare(paths: readonly string[]): Promise<number> {
  let replaced = 0;
  const left = [...paths];
  const work = async () => {
    for (let path = left.pop(); path; path = left.pop()) {
      const text = await Bun.file(path).text();
      const root = (await engine.parseAsync("TypeScript", text)).root();
      const edits = root.findAll("console.log($$$ARGS)").map((node) => {
        const captured = node.getMultipleMatches("ARGS");
        const slice = text.slice(captured[0]?.range().start.index, captured.at(-1)?.range().end.index);
        return node.replace(`logger.info(${slice})`);
      });
      root.commitEdits(edits);
      replaced += edits.length;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return replaced;
}

async function preview(cwd: string): Promise<number> {
  const context: ToolContext = {
    cwd: () => cwd,
    home: join(directory, "home"),
    settings: Settings.inMemory(),
    processRunner: async () => processRunner,
    newSpillPath: async () => join(directory, "spill"),
    takesImages: () => false,
    pushPendingAction: () => {},
  };
  const call: ToolInvocation = {
    id: "call",
    signal: new AbortController().signal,
    steeringSignal: new AbortController().signal,
    update: () => {},
    batch: { id: "batch", index: 0, total: 1, names: [] },
  };
  const ops = [{ pat: "console.log($$$ARGS)", out: "logger.info($$$ARGS)" }];
  return (await execute({ ops }, call, context)).details?.totalReplacements ?? 0;
}

const rows: (string | number)[][] = [["", "bare ms", "preview ms", "ratio of medians", "ratio of bests"]];
for (const [name, { files, every }] of Object.entries(cases)) {
  const cwd = join(directory, name.replaceAll(/\W+/g, "-"));
  mkdirSync(cwd, { recursive: true });
  const paths = Array.from({ length: files }, (_, index) => join(cwd, `module${index}.ts`));
  for (const path of paths) writeFileSync(path, moduleText(every));
  const bare: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [bareMs, bareCount] = await timed(() => rewriteBare(paths));
    const [wholeMs, wholeCount] = await timed(() => preview(cwd));
    if (bareCount !== wholeCount) throw new Error(`${bareCount} and ${wholeCount} replacements: not the same work`);
    if (round === 0) continue; // warms up
    bare.push(bareMs);
    whole.push(wholeMs);
  }
  rows.push([
    name,
    median(bare).toFixed(1),
    median(whole).toFixed(1),
    (median(whole) / median(bare)).toFixed(2),
    (Math.min(...whole) / Math.min(...bare)).toFixed(2),
  ]);
}
printTable(rows);

await processRunner.killAll("shutdown");
rmSync(directory, { recursive: true, force: true });

async function timed<T>(job: () => Promise<T>): Promise<[ms: number, result: T]> {
  const started = performance.now();
  const result = await job();
  return [performance.now() - started, result];
}
