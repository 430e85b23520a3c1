import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@pintle/ai";
import { describeProcess, isRunning, PRIVATE_FILE, type ProcessIdentity } from "@pintle/foundation";
import { lstatIfThere } from "../scan/read-state.ts";
import { readIfThere } from "../store/object-store.ts";

/** The calls of a session whose changes are being compared, recorded in case its process dies. */
export interface OpenCalls {
  /** The entry of the session that was stored last. */
  at: string;
  entryId: string;
  prompt: string;
  /** The checkpoint of the run, if it has one already. */
  checkpointId?: string | undefined;
  sources: readonly string[];
}

interface ActivityRecord {
  process: ProcessIdentity;
  /** Absent while no call is open. */
  calls?: OpenCalls | undefined;
}

/**
 * Lets the sessions of a workspace see each other's activity. Each has one file, whose time stamp is its last change.
 */
export class Activity {
  readonly #directory: string;
  readonly #file: string;
  readonly #process = describeProcess();

  constructor(directory: string, sessionId: string) {
    this.#directory = directory;
    this.#file = `${sessionId.replace(/[^\w-]/g, "_")}.json`;
  }

  begin(calls: OpenCalls): void {
    this.#write({ process: this.#process, calls });
  }

  /** Also called after a change by a file tool, which ends at once. */
  end(): void {
    this.#write({ process: this.#process });
  }

  /** Whether another session has a call open, or has changed something since that time. */
  hasOthersSince(since: number): boolean {
    return readdirSync(this.#directory).some((name) => {
      if (name === this.#file) return false;
      const path = join(this.#directory, name);
      const record = read(path);
      if (record?.calls && isRunning(record.process)) return true;
      return (lstatIfThere(path)?.mtimeMs ?? 0) >= since;
    });
  }

  /** Returns the calls of this session that were open when its process died. */
  lostCalls(): OpenCalls | undefined {
    const record = read(join(this.#directory, this.#file));
    return record?.calls && !isRunning(record.process) ? record.calls : undefined;
  }

  #write(record: ActivityRecord): void {
    writeFileSync(join(this.#directory, this.#file), JSON.stringify(record), { mode: PRIVATE_FILE });
  }
}

/** Returns undefined for a file that is being written. */
function read(path: string): ActivityRecord | undefined {
  const text = readIfThere(path)?.toString() ?? "";
  try {
    const record: unknown = JSON.parse(text);
    return isActivity(record) ? record : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isActivity(value: unknown): value is ActivityRecord {
  return isRecord(value) && isRecord(value.process);
}
