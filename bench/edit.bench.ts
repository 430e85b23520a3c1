// Scores the edit tools of pintle, pi and codex (the newest from npm) on edits that are almost right, each made with a
// scripted model in the same run: right (the file is as expected, byte for byte), refused (unchanged) or damaged.
//
// Then measures pintle's edit tool on a file of 10 MB, against reading the file, searching for the old text and writing the file:
// the cost of an exact match, of a match among look-alikes, and of no match. The subjects take turns, so that other
// load affects all of them.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Settings } from "../packages/coding-agent/src/config/settings/settings.ts";
import { createTool } from "../packages/coding-agent/src/tools/define-tool.ts";
import { editTool } from "../packages/coding-agent/src/tools/edit.ts";
import type { ToolContext } from "../packages/coding-agent/src/tools/tool-context.ts";
import { median, printTable } from "./support/table.ts";
import { scoreEdits } from "./tools/near-misses.ts";
import { availablePrograms } from "./tools/programs.ts";

const scores: string[][] = [["program", "edits", "right", "refused", "damaged", "unanswered", "score"]];
for (const program of availablePrograms()) {
  const { all, right, refused, damaged, unanswered } = await scoreEdits(program);
  scores.push([program.name, ...[all, right, refused, damaged, unanswered].map(String), (right / all).toFixed(3)]);
}
console.log("edits that are almost right");
printTable(scores);

const ROUNDS = 15;
const FILE_BYTES = 10_000_000;
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pintle-bench-")));
const path = join(scratch, "large.ts");

const unused = () => Promise.reject(new Error("edit does not need this"));
const context: ToolContext = {
  cwd: () => scratch,
  home: join(scratch, "home"),
  settings: Settings.inMemory(),
  processRunner: unused,
  newSpillPath: unused,
  takesImages: () => false,
  pushPendingAction: () => {},
};
const tool = createTool(editTool, context);
const invocation = {
  id: "bench",
  signal: new AbortController().signal,
  steeringSignal: new AbortController().signal,
  update: () => {},
  batch: { id: "bench", index: 0, total: 1, names: ["edit"] },
};

const OLD = "const target = “unique” – marker;";
const NEW = "const target = replaced;";

function fileText(lineEnding: string): string {
  const line = (index: number) =>
    `export const value${index} = compute(${index}, "some text"); // ${index * 7}${lineEnding}`;
  const lines: string[] = [];
  for (let size = 0; size < FILE_BYTES; size += lines.at(-1)!.length) lines.push(line(lines.length));
  lines.splice(Math.floor(lines.length * 0.9), 0, `${OLD}${lineEnding}`);
  return lines.join("");
}

function editBare(): void {
  const text = readFileSync(path, "utf8");
  const at = text.indexOf(OLD);
  writeFileSync(path, text.slice(0, at) + NEW + text.slice(at + OLD.length));
}

async function edit(oldText: string): Promise<void> {
  await tool.execute({ path, edits: [{ oldText, newText: NEW }] }, invocation);
}

const subjects: Record<string, () => void | Promise<void>> = {
  "read, indexOf, write": editBare,
  "edit, exact": () => edit(OLD),
  "edit, look-alikes": () => edit('const target = "unique" - marker;'),
  "edit, not found": () => edit("const absent = nowhere to be found;").catch(() => {}),
};

for (const [name, lineEnding] of [
  ["LF", "\n"],
  ["CR LF", "\r\n"],
] as const) {
  const original = fileText(lineEnding);
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [subject, run] of Object.entries(subjects)) {
      writeFileSync(path, original);
      Bun.gc(true);
      const started = performance.now();
      await run();
      const ms = performance.now() - started;
      times[subject] ??= [];
      if (round > 0) times[subject].push(ms); // the first round warms up
    }
  }
  console.log(`a file of 10 MB with ${name}`);
  const [base] = Object.values(times);
  printTable([
    ["", "median ms", "ratio", "best ms", "ratio"],
    ...Object.entries(times).map(([subject, list]) => [
      subject,
      median(list).toFixed(1),
      (median(list) / median(base!)).toFixed(2),
      Math.min(...list).toFixed(1),
      (Math.min(...list) / Math.min(...base!)).toFixed(2),
    ]),
  ]);
}

rmSync(scratch, { recursive: true, force: true });
