import { errorText, SerialWork } from "@pintle/ai";
import { isSystemError } from "@pintle/foundation";
import type { Coverage } from "../coverage.ts";
import { isSameRecorded, NOT_STORED, type PathChange, type Recorded } from "../recorded-state.ts";
import { readState } from "../scan/read-state.ts";
import { ScanCache } from "../scan/scan-cache.ts";
import { ScanRefused, type Snapshot, type WorkspaceScan } from "../scan/workspace-scan.ts";
import type { WorkspaceStore } from "../store/workspace-store.ts";
import type { Activity } from "./activity.ts";
import type { ChangeRecorder } from "./change-recorder.ts";

/** How the changes of a call are found: by the paths that it announces, or by comparing the workspace. */
export type CallKind = "files" | "workspace";

export interface TrackedCall {
  id: string;
  tool: string;
  kind: CallKind;
  signal?: AbortSignal | undefined;
}

export interface CallTrackerParts {
  store: WorkspaceStore;
  scan: WorkspaceScan;
  activity: Activity;
  recorder: ChangeRecorder;
  coverage(): Coverage;
  /** Covers only file tools from now on. */
  fallBack(reason: NonNullable<Coverage["reason"]>): void;
  /** Whether commands of this session are running in the background. */
  hasBackground(): boolean;
  lastEntryId(): string;
  now(): number;
}

/** Calls that overlap. */
interface Group {
  before: Snapshot;
  startedAt: number;
  open: number;
  calls: TrackedCall[];
  isUncertain: boolean;
  /** What commands did to files before a file tool also changed them. */
  earlier: PathChange[];
}

/** A full disk must not stop the run. */
const isStorageFault = (error: unknown) => isSystemError(error);

/** Finds out what each tool call changes. */
export class CallTracker {
  readonly #parts: CallTrackerParts;
  readonly #serial = new SerialWork();
  #group: Group | undefined;
  /** The states before file tools wrote, by call. Calls outside a run have the key "". */
  readonly #written = new Map<string, Map<string, Recorded>>();
  #openFileCalls: string[] = [];
  #hasWritten = false;

  constructor(parts: CallTrackerParts) {
    this.#parts = parts;
  }

  /** Stores the bytes of a file that a file tool is about to change. `path` has no links. */
  beforeWrite(path: string, callId?: string): void {
    if (this.#parts.coverage().coverage === "off") return;
    const key = callId ?? this.#openFileCalls.at(-1) ?? "";
    const states = this.#written.get(key) ?? new Map<string, Recorded>();
    this.#written.set(key, states);
    if (states.has(path) || path.split("/").includes(".git")) return;
    this.#parts.recorder.prepare();
    states.set(path, this.#read(path));
  }

  /** Runs a call and records what it changes. Only the scan before a command can fail, if the signal fires. */
  async around<T>(call: TrackedCall, run: () => Promise<T>): Promise<T> {
    const { coverage } = this.#parts.coverage();
    if (coverage === "off") return run();
    if (call.kind === "files") {
      this.#openFileCalls.push(call.id);
      try {
        return await run();
      } finally {
        this.#openFileCalls = this.#openFileCalls.filter((id) => id !== call.id);
        this.finishWrites(call.id, call);
      }
    }
    const hasJoined = coverage === "workspace" && (await this.#serial.run(() => this.#join(call)));
    if (!hasJoined) return run();
    try {
      return await run();
    } finally {
      await this.#serial.run(() => this.#leave());
    }
  }

  /** Records what a file tool wrote. Called without a call for a preview that the host applied. */
  finishWrites(key = "", { id, tool }: Partial<TrackedCall> = {}): void {
    const states = this.#written.get(key);
    if (!states) return;
    this.#written.delete(key);
    const changes = [...states].flatMap(([path, before]): PathChange[] => {
      const after = this.#read(path);
      if (this.#group) this.#noteInGroup(this.#group, { path, before, after });
      return isSameRecorded(before, after) ? [] : [{ path, before, after }];
    });
    if (changes.length === 0) return;
    this.#keep(() => {
      this.#parts.recorder.record(changes, {
        toolCallId: id,
        sources: tool === undefined ? [] : [tool],
        isUncertain: false,
      });
    });
    this.#hasWritten = true;
  }

  /** Lets other sessions see that file tools wrote. */
  flush(): void {
    if (this.#hasWritten && !this.#group) this.#keep(() => this.#parts.activity.end());
    this.#hasWritten = false;
  }

  /** A file tool wrote while a command runs: the comparison must not attribute it to the command. */
  #noteInGroup(group: Group, { path, before, after }: PathChange): void {
    const { states } = group.before;
    const known = states.get(path) ?? null;
    if (!isSameRecorded(known, before)) group.earlier.push({ path, before: known, after: before });
    if (after) states.set(path, after);
    else states.delete(path);
  }

  async #join(call: TrackedCall): Promise<boolean> {
    const { activity, recorder, hasBackground, lastEntryId, now } = this.#parts;
    if (!this.#group) {
      const before = await this.#scan(call.signal);
      if (!before) return false;
      const startedAt = now();
      recorder.prepare();
      const isUncertain = hasBackground() || activity.hasOthersSince(startedAt);
      this.#group = { before, startedAt, open: 0, calls: [], isUncertain, earlier: [] };
    }
    this.#group.open += 1;
    this.#group.calls.push(call);
    const sources = this.#group.calls.map(({ tool }) => tool);
    this.#keep(() => activity.begin({ at: lastEntryId(), ...recorder.run, sources }));
    return true;
  }

  async #leave(): Promise<void> {
    const group = this.#group;
    if (!group) return;
    group.open -= 1;
    if (group.open > 0) return;
    this.#group = undefined;
    const { scan, activity, recorder, hasBackground } = this.#parts;
    const after = await this.#scan();
    this.#keep(() => {
      const changes = after ? [...group.earlier, ...scan.compare(group.before, after)] : group.earlier;
      const isUncertain = group.isUncertain || hasBackground() || activity.hasOthersSince(group.startedAt);
      const [first, ...others] = group.calls;
      const toolCallId = others.length === 0 ? first?.id : undefined;
      const sources = [...new Set(group.calls.map(({ tool }) => tool))];
      if (changes.length > 0) recorder.record(changes, { toolCallId, sources, isUncertain });
      activity.end();
    });
  }

  /** Records what changed during calls whose process has died. */
  async recordLost(): Promise<void> {
    const { activity, scan, recorder, store, coverage } = this.#parts;
    const lost = activity.lostCalls();
    if (!lost) return;
    if (coverage().coverage === "workspace") {
      const known = new ScanCache(store.cachePath).states();
      const after = await this.#scan();
      if (after) {
        const before = { states: known, rules: after.rules };
        const changes = scan.compare(before, after);
        recorder.startRun({ entryId: () => lost.entryId, prompt: () => lost.prompt }, lost.checkpointId);
        if (changes.length > 0) recorder.record(changes, { sources: lost.sources, isUncertain: true, at: lost.at });
      }
    }
    activity.end();
  }

  /** Returns undefined if the workspace cannot be scanned. Rejects only with the signal's reason. */
  async #scan(signal?: AbortSignal): Promise<Snapshot | undefined> {
    try {
      return await this.#parts.scan.scan(signal);
    } catch (error) {
      if (error instanceof ScanRefused) this.#parts.fallBack(error.reason);
      else if (signal?.aborted) throw error;
      else if (isStorageFault(error)) this.#parts.fallBack("disk_space");
      else throw error;
      return undefined;
    }
  }

  #read(path: string): Recorded {
    const { store } = this.#parts;
    try {
      return readState(path, { maxFileBytes: Number.POSITIVE_INFINITY, put: (bytes) => store.objects.put(bytes) });
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      this.#parts.fallBack("disk_space");
      return { type: "file", mode: 0, size: 0, object: `${NOT_STORED}${crypto.randomUUID()} ${errorText(error)}` };
    }
  }

  #keep(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      this.#parts.fallBack("disk_space");
    }
  }
}
