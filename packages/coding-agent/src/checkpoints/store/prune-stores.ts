import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@pintle/ai";
import { isSystemError } from "@pintle/foundation";
import { readIfThere } from "./object-store.ts";
import { readPacks } from "./packs.ts";

/** Something whose contents a store keeps: a checkpoint, a rewind, or what the newest scan found. */
interface Holder {
  path: string;
  /** When it was last written; the index of scans is never removed. */
  writtenAt: number;
  isPrunable: boolean;
  objects: Map<string, number>;
}

/** A process may have stored objects that nothing refers to yet. */
const GRACE_MS = 10 * 60_000;
const HOLDER_FOLDERS = ["logs", "rewinds"] as const;

export interface PruneOptions {
  maxBytes: number;
  now: number;
}

/**
 * Removes the oldest checkpoints and rewinds of all workspaces until what is left of their contents is within the bound, and then
 * the packs that nothing refers to. Removing too little is safe, and so is being killed in between: the next call continues.
 */
export function pruneStores(storesDirectory: string, { maxBytes, now }: PruneOptions): void {
  const stores = namesIn(storesDirectory).map((name) => {
    const directory = join(storesDirectory, name);
    return { directory, holders: holdersOf(directory) };
  });
  const uses = new Map<string, number>();
  let bytes = 0;
  for (const { holders } of stores) {
    for (const { objects } of holders) {
      for (const [id, size] of objects) {
        const count = uses.get(id) ?? 0;
        if (count === 0) bytes += size;
        uses.set(id, count + 1);
      }
    }
  }
  const oldestFirst = stores
    .flatMap(({ holders }) => holders.filter(({ isPrunable }) => isPrunable))
    .sort((a, b) => a.writtenAt - b.writtenAt);
  for (const { path, objects } of oldestFirst) {
    if (bytes <= maxBytes) break;
    rmSync(path, { force: true });
    for (const [id, size] of objects) {
      const count = (uses.get(id) ?? 1) - 1;
      uses.set(id, count);
      if (count === 0) bytes -= size;
    }
  }
  for (const { directory } of stores) removeUnusedPacks(join(directory, "packs"), uses, now);
}

function removeUnusedPacks(directory: string, uses: ReadonlyMap<string, number>, now: number): void {
  for (const { path, indexPath, entries } of readPacks(directory)) {
    const isUsed = [...entries.keys()].some((id) => (uses.get(id) ?? 0) > 0);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (isUsed || now - writtenAt < GRACE_MS) continue;
    rmSync(indexPath, { force: true });
    rmSync(path, { force: true });
  }
}

function holdersOf(store: string): Holder[] {
  const records = HOLDER_FOLDERS.flatMap((folder) =>
    namesIn(join(store, folder)).map((name) => readHolder(join(store, folder, name), true)),
  );
  const journals = namesIn(join(store, "journals")).map((name) => readHolder(join(store, "journals", name), false));
  return [...records, ...journals, readHolder(join(store, "index.jsonl"), false)];
}

function readHolder(path: string, isPrunable: boolean): Holder {
  const objects = new Map<string, number>();
  for (const line of (readIfThere(path)?.toString() ?? "").split("\n")) collectObjects(parse(line), objects);
  return { path, isPrunable, objects, writtenAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
}

/** Finds recorded states in a record of any kind. Lines of the index are lists that end with size and object. */
function collectObjects(value: unknown, objects: Map<string, number>): void {
  if (Array.isArray(value)) {
    const [size, object] = value.slice(-2);
    if (typeof size === "number" && typeof object === "string") objects.set(object, size);
    else for (const item of value) collectObjects(item, objects);
  } else if (isRecord(value)) {
    if (typeof value.object === "string" && typeof value.size === "number") objects.set(value.object, value.size);
    else for (const item of Object.values(value)) collectObjects(item, objects);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}
