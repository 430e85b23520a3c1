import type { AgentSessionEvent, FileSummary } from "@pintle/wire";
import { describeChange } from "../../file-changes/index.ts";
import type { Coverage } from "../coverage.ts";
import type { PathChange } from "../recorded-state.ts";
import { shownPath } from "../shown-path.ts";
import { CHECKPOINT_TYPE, type ChangeRecord } from "../store/records.ts";
import type { WorkspaceStore } from "../store/workspace-store.ts";
import { gitHead } from "./git-head.ts";

/** The session's entries, as far as undo needs them. */
export interface SessionLog {
  readonly sessionId: string;
  /** The id of the entry that was stored last; empty if there is none. */
  lastEntryId(): string;
  append(customType: string, data: unknown): void;
}

/** The run that changes belong to. */
export interface TrackedRun {
  /** The user message; empty if the run had none. */
  entryId(): string;
  prompt(): string;
}

export interface ChangeRecorderParts {
  cwd: string;
  store: WorkspaceStore;
  log: SessionLog;
  coverage(): Coverage;
  now(): number;
  emit(event: AgentSessionEvent): void;
  /** Called after each record. */
  onRecord(): void;
}

/** One call, or several that overlapped. */
export interface RecordedCall {
  /** Absent for several calls. */
  toolCallId?: string | undefined;
  sources: readonly string[];
  isUncertain: boolean;
  /** The entry that was the last one at that time, if it no longer is. */
  at?: string | undefined;
}

const MAX_FILES = 200;

/** Records changes in the checkpoint of their run, which the first one creates, and reports them to the host. */
export class ChangeRecorder {
  readonly #parts: ChangeRecorderParts;
  #run: { run: TrackedRun; checkpointId?: string | undefined; head: string | undefined } | undefined;
  /** Builds the events that wait for the end of their call. Comparing the lines takes longer than a call of `edit`. */
  #events: (() => AgentSessionEvent)[] = [];

  constructor(parts: ChangeRecorderParts) {
    this.#parts = parts;
  }

  startRun(run: TrackedRun, checkpointId?: string): void {
    this.#run = { run, checkpointId, head: undefined };
  }

  /** Called before the first change of a run, which may be one of HEAD. */
  prepare(): void {
    if (this.#run) this.#run.head ??= gitHead(this.#parts.cwd);
  }

  get run(): { entryId: string; prompt: string; checkpointId?: string | undefined } {
    const { run, checkpointId } = this.#run ?? {};
    return { entryId: run?.entryId() ?? "", prompt: run?.prompt() ?? "", checkpointId };
  }

  record(changes: readonly PathChange[], { toolCallId, sources, isUncertain, at }: RecordedCall): void {
    const { store, log } = this.#parts;
    const checkpointId = this.#checkpoint();
    const record: ChangeRecord = {
      kind: "changes",
      at: at ?? log.lastEntryId(),
      ...(toolCallId !== undefined && { toolCallId }),
      sources,
      ...(isUncertain && { uncertain: true }),
      changes,
    };
    store.append(checkpointId, record);
    this.#parts.onRecord();
    const more = changes.length - MAX_FILES;
    this.#events.push(() => ({
      type: "files_changed",
      checkpointId,
      ...(toolCallId !== undefined && { toolCallId }),
      files: changes.slice(0, MAX_FILES).map((change) => summaryOf(change, this.#parts)),
      ...(more > 0 && { more }),
    }));
  }

  /** Emits what was recorded; called when the end of the call has been emitted. */
  flush(): void {
    for (const event of this.#events.splice(0)) this.#parts.emit(event());
  }

  #checkpoint(): string {
    this.#run ??= { run: { entryId: () => "", prompt: () => "" }, head: undefined };
    const run = this.#run;
    if (run.checkpointId !== undefined) return run.checkpointId;
    const { store, log, now, coverage } = this.#parts;
    const checkpointId = newId("cp");
    const entryId = run.run.entryId();
    const head = {
      kind: "checkpoint" as const,
      checkpointId,
      sessionId: log.sessionId,
      entryId,
      prompt: run.run.prompt(),
      createdAt: now(),
      coverage: coverage().coverage,
      ...(run.head !== undefined && { gitHead: run.head }),
    };
    store.createCheckpoint(head);
    log.append(CHECKPOINT_TYPE, { checkpointId, entryId, coverage: head.coverage });
    run.checkpointId = checkpointId;
    this.#events.push(() => ({ type: "checkpoint_created", checkpointId, entryId, coverage: head.coverage }));
    return checkpointId;
  }
}

export function newId(kind: "cp" | "rw"): string {
  return `${kind}_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
}

/** Describes a change in one line. Without stored bytes, lines are not counted. */
export function summaryOf(
  { path, before, after }: PathChange,
  { cwd, store }: { cwd: string; store: Pick<WorkspaceStore, "load"> },
): FileSummary {
  const shown = shownPath(path, cwd);
  const [old, fresh] = [store.load(before), store.load(after)];
  const change = old && fresh && describeChange({ path: shown, before: old.state, after: fresh.state, sources: [] });
  const status = !before ? "added" : !after ? "deleted" : "modified";
  const { added, removed, binary } = change ?? { added: 0, removed: 0, binary: !old || !fresh };
  return { path: shown, status, added, removed, binary };
}
