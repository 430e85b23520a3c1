import { isRecord } from "@pintle/ai";
import type { FileChange } from "@pintle/wire";

/** Throws TypeError unless this is a list of file changes, each of another path: hosts and `applyHunks` rely on it. */
export function requireChanges(given: unknown): FileChange[] {
  if (!Array.isArray(given)) throw new TypeError("changes must be an array");
  for (const [index, change] of given.entries()) requireChange(change, `changes[${index}]`);
  const changes: FileChange[] = given;
  requireUnique(
    changes.map(({ path }) => path),
    "path",
  );
  requireUnique(
    changes.flatMap(({ hunks = [] }) => hunks.map(({ hunkId }) => hunkId)),
    "hunkId",
  );
  return changes;
}

const isList = (items: unknown, isItem: (item: unknown) => boolean) => Array.isArray(items) && items.every(isItem);
const isString = (value: unknown) => typeof value === "string" && value !== "";
const isLine = (value: unknown) => typeof value === "string" && /^[-+ \\]/.test(value) && !value.includes("\n");

const CHANGE_FIELDS: Record<string, (value: unknown) => boolean> = {
  path: isString,
  status: (value) => ["added", "modified", "deleted", "renamed"].includes(String(value)),
  type: (value) => value === "file" || value === "symlink",
  binary: (value) => typeof value === "boolean",
  added: Number.isInteger,
  removed: Number.isInteger,
  sources: (value) => isList(value, isString),
};

const HUNK_FIELDS: Record<string, (value: unknown) => boolean> = {
  hunkId: isString,
  oldStart: Number.isInteger,
  oldLines: Number.isInteger,
  newStart: Number.isInteger,
  newLines: Number.isInteger,
  lines: (value) => isList(value, isLine),
};

function requireChange(change: unknown, name: string): void {
  requireFields(change, name, CHANGE_FIELDS);
  const { hunks = [] } = change as { hunks?: unknown };
  if (!Array.isArray(hunks)) throw new TypeError(`${name}.hunks must be an array`);
  for (const [index, hunk] of hunks.entries()) requireFields(hunk, `${name}.hunks[${index}]`, HUNK_FIELDS);
}

function requireFields(value: unknown, name: string, fields: Record<string, (value: unknown) => boolean>): void {
  if (!isRecord(value)) throw new TypeError(`${name} must be an object`);
  const wrong = Object.keys(fields).find((field) => !fields[field]?.(value[field]));
  if (wrong !== undefined) throw new TypeError(`${name}.${wrong} is missing or invalid`);
}

function requireUnique(values: readonly string[], what: string): void {
  const repeated = values.find((value, index) => values.indexOf(value) !== index);
  if (repeated !== undefined) throw new TypeError(`changes contains the ${what} ${JSON.stringify(repeated)} twice`);
}
