// Measures what undo costs: the first scan of a workspace against `cp -a`, a scan without changes against `git status`, a later
// checkpoint against that scan, an `edit` call and a run without tools against the same without checkpoints, and how the store
// grows. The subjects take turns, so that other load affects all of them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Checkpoints } from "../packages/coding-agent/src/checkpoints/index.ts";
import { ScanCache } from "../packages/coding-agent/src/checkpoints/scan/scan-cache.ts";
import { WorkspaceScan } from "../packages/coding-agent/src/checkpoints/scan/workspace-scan.ts";
import { WorkspaceStore } from "../packages/coding-agent/src/checkpoints/store/workspace-store.ts";
import { Settings } from "../packages/coding-agent/src/config/settings/settings.ts";
import { createTool } from "../packages/coding-agent/src/tools/define-tool.ts";
import { editTool } from "../packages/coding-agent/src/tools/edit.ts";
import type { ToolContext } from "../packages/coding-agent/src/tools/tool-context.ts";
import { startRpc } from "../packages/coding-agent/test/support/scenarios/rpc-child.ts";
import { median, printTable } from "./support/table.ts";

const FILES = 10_000;
const ROUNDS = 15;
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pintle-bench-")));
const workspace = join(scratch, "workspace");
const LIMITS = { maxFileBytes: 1e7, maxFiles: 1e5, maxBytes: 2e9, timeoutMs: 60_000 };

for (let index = 0; index < FILES; index += 1) {
  const directory = join(workspace, `d${index % 20}/e${index % 500}`);
  if (index < 500) mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `f${index}.ts`), `export const value${index} = ${index};\n`.repeat(50 + (index % 200)));
}
const git = (...args: string[]) =>
  execFileSync("git", ["-C", workspace, "-c", "user.name=x", "-c", "user.email=x@y", "-c", "gc.auto=0", ...args]);

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

let stores = 0;
function openScan(): { scan: WorkspaceScan; store: WorkspaceStore } {
  stores += 1;
  const store = WorkspaceStore.open(join(scratch, `store-${stores}`), workspace);
  const cache = new ScanCache(store.cachePath);
  const scan = new WorkspaceScan({
    roots: [workspace],
    home: join(scratch, "home"),
    include: [".env"],
    limits: LIMITS,
    objects: store.objects,
    cache,
  });
  return { scan, store };
}

const rows: string[][] = [["what", "ms", "against", "ms", "ratio", "at most"]];
function add(what: string, ms: number, against: string, other: number, atMost: number): void {
  rows.push([what, ms.toFixed(1), against, other.toFixed(1), (ms / other).toFixed(2), String(atMost)]);
}

const first: number[] = [];
const copied: number[] = [];
for (let round = 0; round < 5; round += 1) {
  const { scan } = openScan();
  first.push(await timed(() => scan.scan()));
  const copy = join(scratch, `copy-${round}`);
  copied.push(await timed(() => execFileSync("cp", ["-a", workspace, copy])));
  rmSync(copy, { recursive: true });
}
add(`first checkpoint, ${FILES} files`, median(first), "cp -a", median(copied), 1.5);

git("init", "-q");
git("add", "-A");
git("commit", "-qm", "all");

const { scan, store } = openScan();
await scan.scan();
git("status", "--porcelain");
const [unchanged, status, later]: [number[], number[], number[]] = [[], [], []];
let changedBytes = 0;
const sizeOf = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
const sizeBefore = sizeOf(join(store.directory, "packs"));
await Bun.sleep(100);
await scan.scan();
for (let round = 0; round < ROUNDS; round += 1) {
  unchanged.push(await timed(() => scan.scan()));
  status.push(await timed(() => git("status", "--porcelain")));
  for (let index = 0; index < 10; index += 1) {
    const text = `// round ${round}\n`.repeat(200 + index);
    changedBytes += text.length;
    writeFileSync(join(workspace, `d${index}/e${index}/f${index}.ts`), text);
  }
  await Bun.sleep(100);
  later.push(await timed(() => scan.scan()));
}
add("scan without changes", median(unchanged), "git status", median(status), 1.5);
add("later checkpoint, 10 changed files", median(later), "scan without changes", median(unchanged), 1.3);
const growth = sizeOf(join(store.directory, "packs")) - sizeBefore;
rows.push([
  "store growth",
  `${growth} B`,
  "changed bytes",
  `${changedBytes} B`,
  (growth / changedBytes).toFixed(2),
  "1.2",
]);

const unused = () => Promise.reject(new Error("edit does not need this"));
const entries: never[] = [];
const checkpoints = new Checkpoints({
  session: { sessionId: "bench", entries: () => entries, lastEntryId: () => "e1", append: () => {} },
  directory: join(scratch, "store-edit"),
  cwd: workspace,
  roots: [workspace],
  home: join(scratch, "home"),
  settings: { ...LIMITS, include: [] },
  coverage: { coverage: "workspace" },
  hasBackground: () => false,
  now: Date.now,
  emit: () => {},
});
const { tracker } = checkpoints;
const context: ToolContext = {
  cwd: () => workspace,
  home: join(scratch, "home"),
  settings: Settings.inMemory(),
  processRunner: unused,
  newSpillPath: unused,
  takesImages: () => false,
  pushPendingAction: () => {},
};
const plain = createTool(editTool, context);
const covered = createTool(editTool, { ...context, beforeWrite: (real, id) => tracker.beforeWrite(real, id) });
const edited = join(workspace, "d1/e1/f501.ts");
let edits = 0;
async function edit(isCovered: boolean): Promise<number> {
  edits += 1;
  writeFileSync(edited, `${`export const value = compute(1, "some text");\n`.repeat(300)}const a = ${edits};\n`);
  const id = `call_${edits}`;
  const invocation = {
    id,
    signal: new AbortController().signal,
    steeringSignal: new AbortController().signal,
    update: () => {},
    batch: { id, index: 0, total: 1, names: ["edit"] },
  };
  const args = { path: edited, edits: [{ oldText: `const a = ${edits};`, newText: `const b = ${edits};` }] };
  const run = () => (isCovered ? covered : plain).execute(args as never, invocation);
  const ms = await timed(() => (isCovered ? tracker.around({ id, tool: "edit", kind: "files" }, run) : run()));
  checkpoints.flush();
  return ms;
}
const [withUndo, without]: [number[], number[]] = [[], []];
for (let round = 0; round < 300; round += 1) {
  without.push(await edit(false));
  withUndo.push(await edit(true));
}
add("edit", median(withUndo.slice(50)), "edit with coverage off", median(without.slice(50)), 1.15);

const home = join(scratch, "user");
mkdirSync(home);
const env = { HOME: home, PATH: process.env.PATH ?? "", PINTLE_HOME: join(home, ".pintle") };
const start = (coverage: string) =>
  startRpc(["--model", "pintle/offline", "--set", `checkpoints.coverage=${coverage}`], { cwd: workspace, env });
const [on, off] = [await start("workspace"), await start("off")];
const [onMs, offMs]: [number[], number[]] = [[], []];
for (let round = 0; round < 200; round += 1) {
  offMs.push(await timed(() => off.prompt("hello")));
  onMs.push(await timed(() => on.prompt("hello")));
}
add("run without tools", median(onMs.slice(20)), "the same with coverage off", median(offMs.slice(20)), 1.02);
await on.end();
await off.end();

printTable(rows);
checkpoints.close();
rmSync(scratch, { recursive: true });
