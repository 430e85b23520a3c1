import { type Dirent, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A node that has lost its database only for a moment still works on its copies. */
const IDLE_MS = 60 * 60 * 1_000;
const MARK = "kept";
const START = /^[0-9a-f]{8}$/;

/** Marks a directory whose files contain something that the database lacks. It is never removed. */
export function keepFolder(folder: string): void {
  if (existsSync(folder)) writeFileSync(join(folder, MARK), "", { mode: 0o600 });
}

/**
 * Removes session copies that earlier starts of this node left behind when they were killed. `folder` is the directory of this
 * start, named after its node id; `alive` are the ids of running nodes.
 */
export function removeLeftovers(folder: string, name: string, alive: ReadonlySet<string>): void {
  const parent = dirname(folder);
  for (const entry of entriesOf(parent)) {
    const path = join(parent, entry.name);
    if (!entry.isDirectory() || !isOfNode(entry.name, name) || alive.has(entry.name) || path === folder) continue;
    if (!existsSync(join(path, MARK)) && Date.now() - lastChange(path) > IDLE_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

function isOfNode(nodeId: string, name: string): boolean {
  return nodeId.startsWith(`${name}-`) && START.test(nodeId.slice(name.length + 1));
}

function lastChange(folder: string): number {
  const files = entriesOf(folder).map((entry) => join(folder, entry.name));
  return Math.max(...[folder, ...files].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

function entriesOf(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}
