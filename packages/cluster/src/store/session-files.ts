import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Blobs } from "../log/blobs.ts";
import type { LogTable, SessionRecord } from "../log/log-table.ts";
import { keepFolder } from "./leftover-files.ts";

const MAX_HEADER_BYTES = 64 * 1024;
/** Session names are ids that engines generated. Anything else gets a neutral name. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,100}$/;

/**
 * The copies on which engines of this node work. The log is authoritative: copies are rewritten whenever a session is opened.
 */
export class SessionFiles {
  readonly #directory: string;
  readonly #table: LogTable;
  readonly #blobs: Blobs;
  #isKept = false;

  constructor(directory: string, table: LogTable, blobs: Blobs) {
    this.#directory = directory;
    this.#table = table;
    this.#blobs = blobs;
  }

  /** Writes a file completely or not at all. Returns its path and the id of the last entry. Rejects with StoreError. */
  async write(
    record: SessionRecord,
    purpose: "open" | "read" = "open",
  ): Promise<{ path: string; lastEntryId?: string }> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const path = this.#pathOf(record.sessionId, purpose);
    const temporary = `${path}.${crypto.randomUUID()}.tmp`;
    let lastEntryId: string | undefined;
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeSync(descriptor, `${record.header}\n`);
      for await (const { line, entryId } of this.#table.lines(record)) {
        writeSync(descriptor, `${line}\n`);
        lastEntryId = entryId;
      }
      closeSync(descriptor);
      await this.#blobs.fetch(record.sessionId);
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
    return { path, ...(lastEntryId !== undefined && { lastEntryId }) };
  }

  /** Marks that a file contains something that the log lacks. */
  keep(): void {
    this.#isKept = true;
  }

  /** Removes all copies of this start, whose content is in the log. */
  removeAll(): void {
    if (this.#isKept) keepFolder(this.#directory);
    else rmSync(this.#directory, { recursive: true, force: true });
  }

  #pathOf(sessionId: string, purpose: string): string {
    const name = PLAIN_ID.test(sessionId) ? sessionId : new Bun.CryptoHasher("sha256").update(sessionId).digest("hex");
    return join(this.#directory, purpose === "open" ? `${name}.jsonl` : `${name}.${crypto.randomUUID()}.copy`);
  }
}

/** Returns the first line of a session file, or undefined if there is none yet. */
export function headerLineOf(file: string | undefined): string | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  const bytes = Buffer.alloc(MAX_HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    const length = readSync(descriptor, bytes);
    const end = bytes.indexOf(0x0a);
    return end > 0 && end < length ? bytes.toString("utf8", 0, end) : undefined;
  } finally {
    closeSync(descriptor);
  }
}
