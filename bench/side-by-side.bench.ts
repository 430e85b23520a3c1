// Compares pintle with its peers and a floor on one model server, in turns. Arguments select rows; `docs` writes the
// results to docs/; `alone` leaves the peers out. `check` measures pintle and the floor three times and names what got worse since the figures in docs/.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { chart } from "./side-by-side/chart.ts";
import { CHECKED, type Slower, slowerInAll, slowerThan } from "./side-by-side/check.ts";
import { measureRow, type RowResult } from "./side-by-side/measure.ts";
import { startModelServer } from "./side-by-side/model-server.ts";
import { page } from "./side-by-side/page.ts";
import { CACHE } from "./side-by-side/peers.ts";
import type { Row } from "./side-by-side/row.ts";
import { abort } from "./side-by-side/rows/abort.ts";
import { commands } from "./side-by-side/rows/commands.ts";
import { deltas, pace } from "./side-by-side/rows/deltas.ts";
import { latency } from "./side-by-side/rows/latency.ts";
import { output } from "./side-by-side/rows/output.ts";
import { history, resume } from "./side-by-side/rows/resume.ts";
import { fleet, idle, start } from "./side-by-side/rows/start.ts";
import { longLoop, toolLoop } from "./side-by-side/rows/tool-loop.ts";
import { prepareSubjects, SUBJECT_NAMES } from "./side-by-side/subjects.ts";
import { summaryChart } from "./side-by-side/summary-chart.ts";
import { formatGoals, formatWithRatio, type Line, linesOf } from "./side-by-side/verdict.ts";
import { printTable } from "./support/table.ts";

const ROWS: readonly Row[] = [
  start,
  idle,
  fleet,
  latency,
  deltas,
  pace,
  commands,
  toolLoop,
  longLoop,
  resume,
  history,
  output,
  abort,
];

const words = process.argv.slice(2);
const isForDocs = words.includes("docs");
const isCheck = words.includes("check");
const isAlone = words.includes("alone");
const CHECK_RUNS = 3;
const wanted = ROWS.filter(({ name }) => words.includes(name));
const rows = wanted.length > 0 ? wanted : ROWS;

using server = startModelServer();
const { present, absent, scratch } = prepareSubjects(
  server.url,
  isCheck || isAlone ? ["floor", ...CHECKED] : SUBJECT_NAMES,
);
const names = isAlone ? present.map(({ name }) => name) : SUBJECT_NAMES;
const versions = Object.fromEntries(present.map(({ name, version }) => [name, version]));
for (const [name, version] of Object.entries(versions)) console.log(`${name}: ${version}`);
for (const { name, reason } of absent) console.log(`${name}: ${reason}`);

if (isCheck) {
  try {
    await check();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  process.exit();
}

const results: RowResult[] = [];
const lines: Line[] = [];
try {
  for (const row of rows) {
    console.log(`\n${row.title}`);
    const result = await measureRow(row, present, absent, { server, scratch });
    results.push(result);
    const measured = linesOf(row, result);
    lines.push(...measured);
    printTable([
      ["", ...names, "goals"],
      ...measured.map((line) => [line.title, ...names.map((name) => formatWithRatio(line, name)), formatGoals(line)]),
    ]);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const loads = results.flatMap(({ load }) => load);
const circumstances = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${process.platform}`,
  versions,
  load: [Math.min(...loads), Math.max(...loads)] as [number, number],
};
const directory = isForDocs ? resolve(import.meta.dir, "../docs") : CACHE;
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, "benchmarks.json"), `${JSON.stringify({ ...circumstances, results }, null, 1)}\n`);
writeFileSync(
  join(directory, "benchmarks.svg"),
  chart(lines, "Times the floor (logarithmic; less is better, except for rates)"),
);
if (wanted.length === 0) writeFileSync(join(directory, "benchmarks-summary.svg"), summaryChart(lines));
writeFileSync(join(directory, "benchmarks.md"), page(lines, circumstances));
console.log(`\nfigures, chart and page: ${directory}`);

/** Measures each row several times before the next one, so that a burst of other load affects one row only. */
async function check(): Promise<void> {
  const file = resolve(import.meta.dir, "../docs/benchmarks.json");
  const recorded = (JSON.parse(readFileSync(file, "utf8")) as { results: RowResult[] }).results;
  for (const row of rows) {
    console.log(`\n${row.title}`);
    const runs: Slower[][] = [];
    for (let run = 0; run < CHECK_RUNS && runs.every((slower) => slower.length > 0); run += 1) {
      runs.push(slowerThan(recorded, row, await measureRow(row, present, absent, { server, scratch })));
    }
    const slower = slowerInAll(runs);
    for (const { name, before, now } of slower) {
      console.log(`WORSE: ${name}: ${now.toFixed(2)}× the floor, recorded ${before.toFixed(2)}×`);
    }
    if (slower.length > 0) process.exitCode = 1;
    else console.log("no figure is more than 15% worse in all runs");
  }
}
