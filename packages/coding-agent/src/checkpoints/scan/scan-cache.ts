import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { PRIVATE_DIRECTORY, PRIVATE_FILE, textOrEmpty } from "@pintle/foundation";
import type { RecordedState } from "../recorded-state.ts";

/** Tells versions of a file apart without reading it. Numbers, because comparing ten thousand strings takes longer. */
export interface FileVersion {
  ino: number;
  size: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
}

interface CachedFile {
  version: FileVersion;
  state: RecordedState;
}

/** A path alone was removed. */
type Line =
  | [path: string, version: number[], type: "f" | "l", mode: number, size: number, object: string]
  | [path: string];

const COMPLETE = '[""]\n';

/**
 * Remembers the contents of files by their versions, so that a scan reads only what has changed. The sessions of a workspace share
 * the file: each appends what it reads, and the last line of a path wins. Losing lines only costs time.
 */
export class ScanCache {
  readonly #path: string;
  readonly #files = new Map<string, CachedFile>();
  #isComplete = false;
  #lines = 0;
  #waiting: string[] = [];

  constructor(path: string) {
    this.#path = path;
    for (const line of textOrEmpty(path).split("\n")) {
      if (line === "") continue;
      this.#lines += 1;
      this.#take(line);
    }
  }

  /** Whether a scan has finished, so that the limits of a first scan no longer apply. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  find(path: string, now: FileVersion): RecordedState | undefined {
    const known = this.#files.get(path);
    return known && isSameVersion(known.version, now) ? known.state : undefined;
  }

  put(path: string, { ino, size, mode, mtimeMs, ctimeMs }: FileVersion, state: RecordedState): void {
    const version = { ino, size, mode, mtimeMs, ctimeMs }; // a copy, because a Stats object is much larger
    this.#files.set(path, { version, state });
    this.#waiting.push(toLine(path, version, state));
  }

  *below(prefix: string): Iterable<[string, RecordedState]> {
    for (const [path, { state }] of this.#files) if (path.startsWith(prefix)) yield [path, state];
  }

  /** Returns what the last finished scan of an earlier process found. */
  states(): Map<string, RecordedState> {
    return new Map([...this.#files].map(([path, { state }]) => [path, state]));
  }

  /** Called at the end of a scan, with everything that it found. */
  finish(found: ReadonlyMap<string, RecordedState>): void {
    if (this.#files.size !== found.size) {
      for (const path of this.#files.keys()) {
        if (found.has(path)) continue;
        this.#files.delete(path);
        this.#waiting.push(`${JSON.stringify([path])}\n`);
      }
    }
    if (this.#isComplete && this.#waiting.length === 0) return;
    if (!this.#isComplete) this.#waiting.push(COMPLETE);
    this.#isComplete = true;
    if (this.#lines > 2 * found.size + 1_000) this.#rewrite();
    else this.#append();
  }

  #take(line: string): void {
    const parsed = parseLine(line);
    if (!parsed) return;
    const { path, file } = parsed;
    if (path === "") this.#isComplete = true;
    else if (file) this.#files.set(path, file);
    else this.#files.delete(path);
  }

  #append(): void {
    const text = this.#waiting.join("");
    this.#lines += this.#waiting.length;
    this.#waiting = [];
    mkdirSync(dirname(this.#path), { recursive: true, mode: PRIVATE_DIRECTORY });
    const fd = openSync(this.#path, "a", PRIVATE_FILE);
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
  }

  #rewrite(): void {
    this.#waiting = [];
    const lines = [...this.#files].map(([path, { version, state }]) => toLine(path, version, state));
    lines.push(COMPLETE);
    this.#lines = lines.length;
    const temporary = `${this.#path}.${crypto.randomUUID()}.tmp`;
    const fd = openSync(temporary, "wx", PRIVATE_FILE);
    try {
      writeSync(fd, lines.join(""));
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, this.#path);
  }
}

function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return (
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.mode === other.mode
  );
}

function toLine(path: string, version: FileVersion, { type, mode, size, object }: RecordedState): string {
  const line: Line = [path, toNumbers(version), type === "file" ? "f" : "l", mode, size, object];
  return `${JSON.stringify(line)}\n`;
}

function toNumbers({ ino, size, mode, mtimeMs, ctimeMs }: FileVersion): number[] {
  return [ino, size, mode, mtimeMs, ctimeMs];
}

type ParsedLine = { path: string; file?: CachedFile };

/** Returns undefined for a line that a killed process cut off. */
function parseLine(line: string): ParsedLine | undefined {
  try {
    const fields: unknown = JSON.parse(line);
    if (!Array.isArray(fields) || typeof fields[0] !== "string") return undefined;
    const [path, version, type, mode, size, object] = fields;
    if (fields.length === 1) return { path };
    const isValid = Array.isArray(version) && typeof object === "string" && Number.isInteger(mode);
    if (!isValid || !Number.isInteger(size)) return undefined;
    const [ino, fileSize, fileMode, mtimeMs, ctimeMs] = version;
    const state: RecordedState = { type: type === "l" ? "symlink" : "file", mode, size, object };
    return { path, file: { version: { ino, size: fileSize, mode: fileMode, mtimeMs, ctimeMs }, state } };
  } catch {
    return undefined;
  }
}
