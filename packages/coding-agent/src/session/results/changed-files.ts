import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { relative, sep } from "node:path";
import { countLines, isSystemError } from "@pintle/foundation";
import type { FileSummary } from "@pintle/wire";

/** Larger files are compared by hash, and their lines are only counted. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;
/** The most memory that one run uses for the original contents of files. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** How many bytes to search for a NUL byte, which makes a file binary, as in git. */
const PROBED_BYTES = 8_000;

/** The state of a file before the run changed it. */
export type Before = { bytes: Buffer } | { hash: string; lines: number; binary: boolean };

/** Computes the net changes of one run: compares its files before the first change with their state at the end. */
export class ChangedFiles {
  readonly #before = new Map<string, Before | undefined>();
  #kept = 0;

  /** Must be called before a file tool writes, with the real path. An unreadable file is treated as missing. */
  beforeWrite(real: string): void {
    if (this.#before.has(real)) return;
    const bytes = readBytes(real);
    const isSmall = bytes !== undefined && bytes.length <= MAX_COMPARED_BYTES;
    if (bytes && isSmall && this.#kept + bytes.length <= MAX_KEPT_BYTES) {
      this.#kept += bytes.length;
      this.#before.set(real, { bytes });
    } else this.#before.set(real, bytes && describe(bytes));
  }

  /** Returns the changes, sorted by path, without files that are back in their original state. */
  async summaries(cwd: string): Promise<FileSummary[]> {
    if (this.#before.size === 0) return [];
    const { compare } = await import("./compare-files.ts");
    const found: FileSummary[] = [];
    for (const [real, before] of this.#before) {
      const change = compare(before, readBytes(real));
      if (change) found.push({ path: shown(real, cwd), ...change });
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

export function describe(bytes: Buffer): { hash: string; lines: number; binary: boolean } {
  const binary = bytes.subarray(0, PROBED_BYTES).includes(0);
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { hash, binary, lines: binary ? 0 : countLines(bytes.toString()) };
}

function readBytes(real: string): Buffer | undefined {
  try {
    return statSync(real).isFile() ? readFileSync(real) : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** Formats a path with `/` on every system, relative to the working directory if it is inside. */
function shown(real: string, cwd: string): string {
  const inside = relative(cwd, real);
  const isInside = inside !== "" && !inside.startsWith("..") && inside !== real;
  return (isInside ? inside : real).split(sep).join("/");
}
