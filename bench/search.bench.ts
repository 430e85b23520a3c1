// Measures the tools `grep` and `find` against the bare ripgrep binary, which searches the same tree with its output
// discarded. The subjects take turns, so that other load affects all of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool } from "@pintle/agent";
import { Settings } from "../packages/coding-agent/src/config/settings/settings.ts";
import { createTool } from "../packages/coding-agent/src/tools/define-tool.ts";
import { findTool } from "../packages/coding-agent/src/tools/find.ts";
import { grepTool } from "../packages/coding-agent/src/tools/grep.ts";
import type { ToolContext } from "../packages/coding-agent/src/tools/tool-context.ts";
import { findOwnRipgrep } from "../packages/exec/src/native/ripgrep.ts";
import { ProcessRunner } from "../packages/exec/src/processes/process-runner.ts";
import { median, printTable } from "./support/table.ts";

const FILES = 100_000;
const ROUNDS = 7;
const SAME_FILES = ["--no-config", "--hidden", "--no-require-git", "--glob=!.git"];
const EXTENSIONS = ["ts", "md", "json", "css"];

const root = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const processRunner = new ProcessRunner({ environment: process.env });
const context: ToolContext = {
  cwd: () => root,
  home: root,
  settings: Settings.inMemory(),
  processRunner: async () => processRunner,
  newSpillPath: async () => join(root, "spill.log"),
  takesImages: () => false,
  pushPendingAction: () => {},
};
const rg = (await findOwnRipgrep())!;
const grep = createTool(grepTool, context) as Tool;
const find = createTool(findTool, context) as Tool;

function writeTree(): void {
  const text = Array.from({ length: 60 }, (_, line) => `const value${line} = compute(${line}); // something to read\n`);
  for (let index = 0; index < FILES; index += 1) {
    const directory = join(root, `package-${index % 50}`, `part-${Math.floor(index / 50) % 20}`);
    if (index < 1000) mkdirSync(directory, { recursive: true });
    const rare = index % 10_000 === 7 ? `needle ${index}\n` : "";
    writeFileSync(join(directory, `file-${index}.${EXTENSIONS[index % 4]}`), `${text.join("")}${rare}`);
  }
}

const bare = (...args: string[]) => bareIn(".", ...args);

function bareIn(folder: string, ...args: string[]): () => Promise<void> {
  return async () => {
    const child = Bun.spawn([rg, ...SAME_FILES, ...args, join(root, folder)], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true, // like every child of pintle: on a busy machine the scheduler treats sessions differently
    });
    for await (const _chunk of child.stdout);
    await child.exited;
  };
}

function call(tool: Tool, args: Record<string, unknown>): () => Promise<void> {
  return async () => {
    const { signal } = new AbortController();
    const batch = { id: "b", index: 0, total: 1, names: [tool.name] };
    await tool.execute(args as never, { id: "c", signal, steeringSignal: signal, update: () => {}, batch });
  };
}

const cases: Record<string, [bare: () => Promise<void>, tool: () => Promise<void>]> = {
  "grep, nothing to find": [bare("--json", "--regexp=absent"), call(grep, { pattern: "absent" })],
  "grep, 10 matches": [bare("--json", "--regexp=needle"), call(grep, { pattern: "needle" })],
  "grep in *.ts": [bare("--json", "--glob=*.ts", "--regexp=needle"), call(grep, { pattern: "needle", glob: "*.ts" })],
  "grep, 120,000 matches": [
    bareIn("package-0", "--json", "--regexp=compute"),
    call(grep, { pattern: "compute", path: "package-0" }),
  ],
  "find, 10 files": [bare("--files", "--glob=file-*007.*"), call(find, { pattern: "file-*007.*" })],
  "find, 1000 files": [bare("--files", "--glob=**/part-1/**"), call(find, { pattern: "**/part-1/**", limit: 1000 })],
  "find, 100,000 files": [bare("--files"), call(find, { pattern: "*" })],
  "start of ripgrep": [bare("--version"), call(grep, { pattern: "absent", path: "package-0/part-0/file-0.ts" })],
};

writeTree();
const rows = [];
for (const [name, [bareRun, toolRun]] of Object.entries(cases)) {
  const times: { bare: number[]; tool: number[] } = { bare: [], tool: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [bareMs, toolMs] = [await milliseconds(bareRun), await milliseconds(toolRun)];
    if (round === 0) continue; // warms up
    times.bare.push(bareMs);
    times.tool.push(toolMs);
  }
  const [best, middle] = [{ bare: Math.min(...times.bare), tool: Math.min(...times.tool) }, median(times.tool)];
  rows.push([
    name,
    best.bare.toFixed(1),
    best.tool.toFixed(1),
    (best.tool / best.bare).toFixed(2),
    (best.tool - best.bare).toFixed(1),
    (middle / median(times.bare)).toFixed(2),
  ]);
}
console.log(`${FILES} files`);
printTable([["", "rg best ms", "tool best ms", "ratio", "difference ms", "ratio of medians"], ...rows]);

await processRunner.killAll("shutdown");
rmSync(root, { recursive: true, force: true });

async function milliseconds(job: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await job();
  return performance.now() - started;
}
