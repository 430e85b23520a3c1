import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { isObject } from "./field-reader.ts";
import type { SettingsTree } from "./settings-tree.ts";

/** Settings are written by hand; what is larger than this is something else. */
const MAX_BYTES = 1024 * 1024;

export interface SettingsFile {
  tree: SettingsTree;
  text: string;
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
}

export type FileProblem = { problem: string };

/** Follows from the name a file is looked for under, not from where a link by that name leads. */
export type FileFormat = "json" | "yaml";

export function formatOf(path: string): FileFormat {
  return path.endsWith(".yml") ? "yaml" : "json";
}

/** undefined: there is no such file. Problems hold no text of the file. */
export function readSettingsFile(path: string, format: FileFormat): SettingsFile | FileProblem | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a named pipe would stop the program at its start.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : unreadable(error);
  }
  try {
    return readOpenFile(descriptor, format);
  } catch (error) {
    return unreadable(error);
  } finally {
    closeSync(descriptor);
  }
}

function readOpenFile(descriptor: number, format: FileFormat): SettingsFile | FileProblem {
  const facts = fstatSync(descriptor);
  if (!facts.isFile()) return { problem: "is not a file" };
  if (facts.size > MAX_BYTES) return { problem: `is larger than ${MAX_BYTES / 1024} KiB and is not read` };
  const bytes = readFileSync(descriptor);
  const text = decode(bytes);
  if (text === undefined) return { problem: "is not UTF-8 text" };
  const parsed = parseSettings(text, format);
  return "problem" in parsed ? parsed : { ...parsed, text, bytes, mode: facts.mode & 0o777 };
}

/** Drops a byte order mark. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const PARSERS: Record<FileFormat, { parse: (text: string) => unknown; problem: string }> = {
  json: { parse: JSON.parse, problem: "is not valid JSON (no comments, no trailing commas)" },
  yaml: { parse: (text) => Bun.YAML.parse(text) ?? {}, problem: "is not valid YAML" }, // an empty file holds null
};

export function parseSettings(text: string, format: FileFormat): { tree: SettingsTree } | FileProblem {
  const { parse, problem } = PARSERS[format];
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return { problem };
  }
  return isObject(value) ? { tree: value } : { problem: "must hold an object" };
}

/**
 * Where a project's settings really are; undefined if it has none. A project could name any file of the user by a link, so
 * what leaves the project is not read.
 */
export function findProjectFile(cwd: string): { path: string } | FileProblem | undefined {
  try {
    const root = realpathSync(cwd);
    const path = realpathSync(join(root, ".pintle", "settings.json"));
    return isInside(root, path) ? { path } : { problem: "leads out of the project and is not read" };
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : unreadable(error);
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function unreadable(error: unknown): FileProblem {
  return { problem: `cannot be read (${errorCode(error)})` };
}

export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}
