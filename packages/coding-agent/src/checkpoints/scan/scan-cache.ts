import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isSystemError, PRIVATE_DIRECTORY, PRIVATE_FILE } from "@pintle/foundation";
import type { RecordedState } from "../recorded-state.ts";

interface CachedFile {
  version: string;
  state: RecordedState;
}

type Line =
  | [path: string, version: string, type: "f" | "l", mode: number, size: number, object: string]
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
    for (const line of textOf(path).split("\n")) {
      if (line === "") continue;
      this.#lines += 1;
      this.#take(line);
    }
  }

  /** Whether a scan has finished, so that the limits of a first scan no longer apply. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  find(path: string, version: string): RecordedState | undefined {
    const known = this.#files.get(path);
    return known?.version === version ? known.state : undefined;
  }

  put(path: string, version: string, state: RecordedState): void {
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
    const fields = parseLine(line);
    if (!fields) return;
    const [path, version, type, mode, size, object] = fields;
    if (path === "") this.#isComplete = true;
    else if (version === undefined) this.#files.delete(path);
    else {
      const state: RecordedState = { type: type === "l" ? "symlink" : "file", mode, size, object };
      this.#files.set(path, { version, state });
    }
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

function toLine(path: string, version: string, { type, mode, size, object }: RecordedState): string {
  const line: Line = [path, version, type === "file" ? "f" : "l", mode, size, object];
  return `${JSON.stringify(line)}\n`;
}

/** Returns undefined for a line that a killed process cut off. */
function parseLine(line: string): [string, string | undefined, string, number, number, string] | undefined {
  try {
    const fields: unknown = JSON.parse(line);
    if (!Array.isArray(fields) || typeof fields[0] !== "string") return undefined;
    if (fields.length === 1) return [fields[0], undefined, "", 0, 0, ""];
    const [path, version, type, mode, size, object] = fields;
    const isValid = typeof version === "string" && typeof object === "string" && Number.isInteger(mode);
    return isValid && Number.isInteger(size) ? [path, version, String(type), mode, size, object] : undefined;
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error)) return "";
    throw error;
  }
}
