import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isRecord } from "@pintle/ai";
import { describeProcess, LockFile, PRIVATE_DIRECTORY, PRIVATE_FILE, systemDisk } from "@pintle/foundation";
import type { FileState } from "../../file-changes/index.ts";
import type { Recorded } from "../recorded-state.ts";
import { ObjectStore, readIfThere } from "./object-store.ts";
import type { ChangeRecord, CheckpointHead, LoadState, RewindJournal, RewindRecord } from "./records.ts";

/** The directory with the stores of all workspaces, inside pintle's own. */
export const STORES_DIRECTORY = "checkpoints";
const FOLDERS = ["packs", "logs", "rewinds", "journals", "active"] as const;
const ID = /^[a-z]+_[A-Za-z0-9]+$/;

export interface StoredCheckpoint {
  head: CheckpointHead;
  records: ChangeRecord[];
}

/** Returns the directory of a workspace's store. */
export function storeDirectory(home: string, workspace: string): string {
  const key = createHash("sha256").update(workspace).digest("hex").slice(0, 24);
  return join(home, STORES_DIRECTORY, key);
}

/** The store of one workspace, which its sessions share, including those of other processes. */
export class WorkspaceStore {
  readonly directory: string;
  readonly objects: ObjectStore;
  readonly #logs = new Map<string, StoredCheckpoint>();
  readonly #rewinds = new Map<string, RewindRecord>();
  #log: { checkpointId: string; fd: number } | undefined;

  private constructor(directory: string) {
    this.directory = directory;
    this.objects = new ObjectStore(directory);
  }

  /** Opens the store and creates it if necessary. `workspace` is the real path of the session's directory. */
  static open(directory: string, workspace: string): WorkspaceStore {
    for (const folder of FOLDERS) mkdirSync(join(directory, folder), { recursive: true, mode: PRIVATE_DIRECTORY });
    const about = join(directory, "workspace.json");
    if (!readIfThere(about)) writeFileSync(about, JSON.stringify({ version: 1, workspace }), { mode: PRIVATE_FILE });
    return new WorkspaceStore(directory);
  }

  /** The file that tells scans what has not changed. */
  get cachePath(): string {
    return join(this.directory, "index.jsonl");
  }

  readonly load: LoadState = (recorded) => {
    if (!recorded) return { state: undefined };
    const bytes = this.objects.get(recorded.object);
    return bytes && { state: { type: recorded.type, mode: recorded.mode, bytes } };
  };

  readonly keep = (state: FileState | undefined): Recorded => {
    if (!state) return null;
    const { type, mode, bytes } = state;
    return { type, mode, size: bytes.length, object: this.objects.put(bytes) };
  };

  createCheckpoint(head: CheckpointHead): void {
    writeFileSync(this.#pathOf("logs", head.checkpointId), `${JSON.stringify(head)}\n`, {
      mode: PRIVATE_FILE,
      flag: "wx",
    });
    this.#logs.set(head.checkpointId, { head, records: [] });
  }

  append(checkpointId: string, record: ChangeRecord): void {
    if (this.#log?.checkpointId !== checkpointId) {
      this.#closeLog();
      this.#log = { checkpointId, fd: openSync(this.#pathOf("logs", checkpointId), "a", PRIVATE_FILE) };
    }
    writeSync(this.#log.fd, `${JSON.stringify(record)}\n`);
    this.#logs.get(checkpointId)?.records.push(record);
  }

  /** Returns undefined if the checkpoint was pruned. */
  checkpoint(checkpointId: string): StoredCheckpoint | undefined {
    const known = this.#logs.get(checkpointId);
    if (known) return known;
    const text = ID.test(checkpointId) ? readIfThere(this.#pathOf("logs", checkpointId))?.toString() : undefined;
    const [head, ...records] = (text?.split("\n") ?? []).flatMap((line) => parseLine(line) ?? []);
    if (!isCheckpointHead(head)) return undefined;
    const stored = { head, records: records.filter(isChangeRecord) };
    this.#logs.set(checkpointId, stored);
    return stored;
  }

  rewind(rewindId: string): RewindRecord | undefined {
    const known = this.#rewinds.get(rewindId);
    if (known) return known;
    const text = ID.test(rewindId) ? readIfThere(this.#pathOf("rewinds", rewindId))?.toString() : undefined;
    const record = text === undefined ? undefined : parseLine(text);
    if (!isRewindRecord(record)) return undefined;
    this.#rewinds.set(rewindId, record);
    return record;
  }

  /** Returns the ids of the rewinds that were carried out. */
  rewindIds(): string[] {
    return readdirSync(join(this.directory, "rewinds")).map((name) => name.replace(/\.jsonl$/, ""));
  }

  /** From here on, the next process rolls back an interrupted rewind. */
  writeJournal(journal: RewindJournal): void {
    const path = this.#pathOf("journals", journal.record.rewindId);
    writeDurably(path, JSON.stringify(journal));
  }

  journals(): RewindJournal[] {
    return readdirSync(join(this.directory, "journals")).flatMap((name) => {
      const parsed = name.endsWith(".jsonl")
        ? parseLine(readIfThere(join(this.directory, "journals", name))?.toString() ?? "")
        : undefined;
      return isJournal(parsed) ? [parsed] : [];
    });
  }

  /** Makes the rewind final. */
  commitRewind(record: RewindRecord): void {
    writeDurably(this.#pathOf("rewinds", record.rewindId), JSON.stringify(record));
    this.#rewinds.set(record.rewindId, record);
  }

  dropJournal(rewindId: string): void {
    rmSync(this.#pathOf("journals", rewindId), { force: true });
  }

  /**
   * Runs work that only one process may do at a time. Returns undefined without running it if another process is doing it.
   */
  exclusively<T>(work: () => T): { value: T } | undefined {
    const lock = new LockFile(join(this.directory, "rewind.lock"), {
      disk: systemDisk,
      process: describeProcess(),
      now: Date.now,
    });
    if (lock.claim()) return undefined;
    try {
      return { value: work() };
    } finally {
      lock.release();
    }
  }

  close(): void {
    this.#closeLog();
    this.objects.close();
  }

  #closeLog(): void {
    if (this.#log) closeSync(this.#log.fd);
    this.#log = undefined;
  }

  #pathOf(folder: (typeof FOLDERS)[number], id: string): string {
    return join(this.directory, folder, `${id}.jsonl`);
  }
}

/** The file is complete or absent, even after a power failure. */
function writeDurably(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  const fd = openSync(temporary, "w", PRIVATE_FILE);
  try {
    const bytes = Buffer.from(text);
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
}

/** Returns undefined for a line that a killed process cut off. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// The store is private, but a damaged file must not pass for a record.

function isCheckpointHead(value: unknown): value is CheckpointHead {
  return isRecord(value) && value.kind === "checkpoint" && typeof value.checkpointId === "string";
}

function isChangeRecord(value: unknown): value is ChangeRecord {
  return isRecord(value) && value.kind === "changes" && hasChanges(value);
}

function isRewindRecord(value: unknown): value is RewindRecord {
  return isRecord(value) && value.kind === "rewind" && typeof value.rewindId === "string" && hasChanges(value);
}

function isJournal(value: unknown): value is RewindJournal {
  return isRecord(value) && isRewindRecord(value.record) && Array.isArray(value.files) && value.files.every(isRecord);
}

function hasChanges({ changes }: Record<string, unknown>): boolean {
  return Array.isArray(changes) && changes.every((change) => isRecord(change) && typeof change.path === "string");
}
