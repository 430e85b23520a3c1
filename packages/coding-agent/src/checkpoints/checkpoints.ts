import { isEntry, SessionError } from "@pintle/storage";
import type { AgentSessionEvent, Checkpoint, FileChange, RewindResult, SessionEntry, UndoState } from "@pintle/wire";
import { limitHunks } from "../file-changes/index.ts";
import type { CheckpointsParts } from "./checkpoint-options.ts";
import { type Coverage, type CoverageReason, FALLBACK_TEXTS } from "./coverage.ts";
import { describeNet } from "./history/describe-net.ts";
import { netChange } from "./history/net-changes.ts";
import { readTimeline } from "./history/read-timeline.ts";
import { historySince, type Timeline, undoPosition } from "./history/timeline.ts";
import { type ConflictChoice, Rewinder, type RewindRequest } from "./rewind/rewinder.ts";
import { ScanCache } from "./scan/scan-cache.ts";
import { WorkspaceScan } from "./scan/workspace-scan.ts";
import { shownPath } from "./shown-path.ts";
import { WorkspaceStore } from "./store/workspace-store.ts";
import { Activity } from "./tracking/activity.ts";
import { CallTracker } from "./tracking/call-tracker.ts";
import { ChangeRecorder, type TrackedRun } from "./tracking/change-recorder.ts";
import { gitHead } from "./tracking/git-head.ts";

export type Since = "turn" | "run" | "session" | (string & {});

export interface ChangeQuery {
  since?: Since | undefined;
  files?: readonly string[] | undefined;
}

/** Owns the checkpoints of one session: records what its tool calls change, and reverts it. */
export class Checkpoints {
  readonly tracker: CallTracker;
  readonly #parts: CheckpointsParts;
  readonly #store: WorkspaceStore;
  readonly #recorder: ChangeRecorder;
  readonly #rewinder: Rewinder;
  #coverage: Coverage;
  #timeline: { entries: number; version: number; value: Timeline; next?: { undo: string | undefined } } | undefined;
  /** Increases with every record. */
  #version = 0;
  /** The entry that was stored last when the newest turn began. */
  #turnStart: string | undefined;

  constructor(parts: CheckpointsParts) {
    this.#parts = parts;
    const { session, cwd, roots, home, settings, now } = parts;
    this.#coverage = parts.coverage;
    this.#store = WorkspaceStore.open(parts.directory, cwd);
    const { emit } = parts;
    const coverage = () => this.#coverage;
    const log = {
      sessionId: session.sessionId,
      lastEntryId: () => session.lastEntryId(),
      append: (type: string, data: unknown) => {
        session.append(type, data);
        this.#version += 1;
      },
    };
    const recorder = new ChangeRecorder({
      cwd,
      store: this.#store,
      log,
      coverage,
      now,
      emit,
      onRecord: () => {
        this.#version += 1;
      },
    });
    this.#recorder = recorder;
    this.tracker = new CallTracker({
      store: this.#store,
      scan: new WorkspaceScan({
        roots,
        home,
        include: settings.include,
        limits: settings,
        objects: this.#store.objects,
        cache: new ScanCache(this.#store.cachePath),
      }),
      activity: new Activity(`${parts.directory}/active`, session.sessionId),
      recorder,
      coverage,
      fallBack: (reason) => this.#fallBack(reason),
      hasBackground: parts.hasBackground,
      lastEntryId: log.lastEntryId,
      now,
    });
    this.#rewinder = new Rewinder({ store: this.#store, log, cwd, roots, home, now, disk: parts.disk });
  }

  /**
   * Cleans up after a killed process: rolls back an interrupted rewind, records a complete one, and compares the workspace
   * for calls that were open.
   */
  async recover(): Promise<void> {
    for (const message of this.#rewinder.recover()) this.#notice("warning", message);
    const known = new Set(
      this.#timelineNow().steps.flatMap(({ record }) => ("rewindId" in record ? record.rewindId : [])),
    );
    if (this.#rewinder.recordCompleted(known)) this.#version += 1;
    await this.tracker.recordLost();
    this.flush();
  }

  startRun(run: TrackedRun): void {
    this.#recorder.startRun(run);
  }

  startTurn(): void {
    this.#turnStart = this.#parts.session.lastEntryId();
  }

  /** Emits the events of calls whose ends have been emitted. */
  flush(): void {
    this.#recorder.flush();
    this.tracker.flush();
  }

  get state(): UndoState {
    const timeline = this.#timelineNow();
    return {
      ...this.#coverage,
      checkpoints: timeline.checkpoints.length,
      canUndo: this.#nextUndo(timeline) !== undefined,
      canRedo: undoPosition(timeline).redo.length > 0,
    };
  }

  list(limit?: number): Checkpoint[] {
    const timeline = this.#timelineNow();
    const newest = [...timeline.checkpoints.entries()].reverse().slice(0, limit ?? timeline.checkpoints.length);
    return newest.map(([index, { head, isAvailable }]) => {
      const steps = timeline.steps.filter((step) => step.kind === "changes" && step.checkpoint === index);
      const changes = describeNet(historySince({ steps }, 0), this.#store, this.#parts.cwd);
      return {
        checkpointId: head.checkpointId,
        entryId: head.entryId,
        prompt: head.prompt,
        createdAt: head.createdAt,
        files: changes.length,
        ...sums(changes),
        coverage: head.coverage,
        available: isAvailable,
      };
    });
  }

  changes({ since = "run", files }: ChangeQuery): {
    files: FileChange[];
    added: number;
    removed: number;
    coverage: UndoState["coverage"];
    warnings: string[];
  } {
    const timeline = this.#timelineNow();
    const from = this.#positionSince(since, timeline);
    const histories = from === undefined ? [] : historySince(timeline, from);
    const items = this.#rewinder.items(histories);
    const all = describeNet(histories, this.#store, this.#parts.cwd, (path) => this.#rewinder.conflictAt(path, items));
    const asked = files === undefined ? limitHunks(all) : selectFiles(all, files, this.#parts.cwd);
    return {
      files: asked,
      ...sums(asked),
      coverage: this.#coverage.coverage,
      warnings: this.#warnings(timeline, from ?? Number.POSITIVE_INFINITY),
    };
  }

  /** Emits nothing: the caller reports the rewind when the conversation has moved as well. */
  rewind({
    to,
    ...request
  }: RewindRequest & { to?: string | undefined }): RewindResult & { event?: AgentSessionEvent } {
    const timeline = this.#timelineNow();
    const target = to ?? this.#nextUndo(timeline);
    if (target === undefined) throw new SessionError("not_found", "Nothing to undo");
    const from = this.#position(target, timeline);
    if (from === undefined) throw new SessionError("not_found", `No checkpoint or entry to rewind to: ${target}`);
    const result = this.#rewinder.rewind(historySince(timeline, from), {
      ...request,
      to: target,
      from: this.#entryAt(target, timeline),
      warnings: this.#warnings(timeline, from),
    });
    this.#version += 1;
    return result;
  }

  redo({
    rewindId,
    ...choice
  }: ConflictChoice & { rewindId?: string | undefined }): RewindResult & { event?: AgentSessionEvent } {
    const timeline = this.#timelineNow();
    const newest = undoPosition(timeline).redo.at(-1);
    const id = rewindId ?? newest?.rewindId;
    if (id === undefined) throw new SessionError("not_found", "Nothing to redo");
    const step = timeline.rewind(id);
    if (!step || step.record.redoOf !== undefined) throw new SessionError("not_found", `No rewind to redo: ${id}`);
    const from = this.#parts.session.entries()[step.position]?.id ?? "";
    const result = this.#rewinder.redo(step.record, {
      ...choice,
      from,
      warnings: this.#warnings(timeline, step.position),
    });
    this.#version += 1;
    return result;
  }

  /** Returns the paths that these rewinds changed, as hosts see them. */
  rewoundPaths(rewindIds: readonly string[]): string[] {
    const paths = rewindIds.flatMap((id) => this.#store.rewind(id)?.changes.map(({ path }) => path) ?? []);
    return [...new Set(paths)].sort().map((path) => shownPath(path, this.#parts.cwd));
  }

  /** Records a rewind of the session that this one continues. */
  adopt(rewindId: string): void {
    const record = this.#store.rewind(rewindId);
    if (record) this.#rewinder.append(record);
    this.#version += 1;
  }

  close(): void {
    this.#store.close();
  }

  #timelineNow(): Timeline {
    const entries = this.#parts.session.entries();
    const known = this.#timeline;
    if (known?.entries === entries.length && known.version === this.#version) return known.value;
    const value = readTimeline(entries, this.#store);
    this.#timeline = { entries: entries.length, version: this.#version, value };
    return value;
  }

  /** Returns the checkpoint that undo without a target goes to. Hosts ask for the state often, so it is cached. */
  #nextUndo(timeline: Timeline): string | undefined {
    const known = this.#timeline?.value === timeline ? this.#timeline : undefined;
    if (known?.next) return known.next.undo;
    const undo = this.#findUndo(timeline);
    if (known) known.next = { undo };
    return undo;
  }

  #findUndo(timeline: Timeline): string | undefined {
    const { load, keep } = this.#store;
    const { cursor } = undoPosition(timeline);
    for (let index = cursor - 1; index >= 0; index -= 1) {
      const { head, position, isAvailable } = timeline.checkpoints[index]!;
      if (!isAvailable) return undefined;
      if (historySince(timeline, position).some((history) => netChange(history, load, keep))) return head.checkpointId;
    }
    return undefined;
  }

  /** Returns undefined if nothing has happened since. */
  #positionSince(since: Since, timeline: Timeline): number | undefined {
    if (since === "session") return 0;
    if (since === "run") return this.#startOfRun(timeline);
    if (since === "turn") return this.#startOfTurn();
    const from = this.#position(since, timeline);
    if (from === undefined) throw new SessionError("not_found", `No checkpoint or entry: ${since}`);
    return from;
  }

  /** The active run, or the latest one. */
  #startOfRun({ checkpoints, steps }: Timeline): number | undefined {
    const entries = this.#parts.session.entries();
    const { entryId, checkpointId } = this.#recorder.run;
    const newest = checkpoints.at(-1);
    const isNewest = newest !== undefined && newest.head.checkpointId === checkpointId;
    if (isNewest || (entryId === "" && checkpointId !== undefined)) return newest?.position;
    const start = entryId === "" ? entries.findLastIndex(isUserMessage) : (indexOf(entries, entryId) ?? 0);
    const isOfNewest = entryId === "" && steps.some((step) => step.kind === "changes" && step.position >= start);
    return isOfNewest ? newest?.position : Math.max(0, start);
  }

  #startOfTurn(): number | undefined {
    const entries = this.#parts.session.entries();
    const start = this.#turnStart === undefined ? undefined : indexOf(entries, this.#turnStart);
    return start ?? Math.max(0, entries.findLastIndex(isAssistantMessage));
  }

  #position(target: string, timeline: Timeline): number | undefined {
    const checkpoint = timeline.checkpoints.find(({ head }) => head.checkpointId === target);
    const position = checkpoint?.position ?? indexOf(this.#parts.session.entries(), target);
    if (position === undefined) return undefined;
    // Pruned changes since then cannot be reverted, so the state is unknown.
    const isPruned = timeline.checkpoints.some((one) => !one.isAvailable && one.position >= position);
    return isPruned ? undefined : position;
  }

  #entryAt(target: string, timeline: Timeline): string {
    const position = this.#position(target, timeline) ?? 0;
    return this.#parts.session.entries()[position]?.id ?? "";
  }

  #warnings(timeline: Timeline, from: number): string[] {
    const head = timeline.checkpoints.find(({ position }) => position >= from)?.head.gitHead;
    return [
      ...(head !== undefined && head !== gitHead(this.#parts.cwd) ? ["git_head_moved"] : []),
      ...(this.#parts.hasBackground() ? ["background_processes"] : []),
    ];
  }

  #fallBack(reason: CoverageReason): void {
    if (this.#coverage.coverage !== "workspace") return;
    this.#coverage = { coverage: "tools", reason };
    this.#notice("warning", `Undo covers only files that file tools change: ${FALLBACK_TEXTS[reason]}.`);
  }

  #notice(level: "info" | "warning", message: string): void {
    this.#parts.emit({ type: "notice", level, message, source: "checkpoints" });
  }
}

function sums(changes: readonly FileChange[]): { added: number; removed: number } {
  return {
    added: changes.reduce((sum, { added }) => sum + added, 0),
    removed: changes.reduce((sum, { removed }) => sum + removed, 0),
  };
}

const isUserMessage = (entry: SessionEntry) => isEntry(entry, "message") && entry.message.role === "user";
const isAssistantMessage = (entry: SessionEntry) => isEntry(entry, "message") && entry.message.role === "assistant";

function indexOf(entries: readonly { id: string }[], id: string): number | undefined {
  const index = entries.findLastIndex((entry) => entry.id === id);
  return index === -1 ? undefined : index;
}

function selectFiles(changes: readonly FileChange[], files: readonly string[], cwd: string): FileChange[] {
  return files.map((file) => {
    const found = changes.find(
      ({ path, oldPath }) => path === file || oldPath === file || path === shownPath(file, cwd),
    );
    if (!found) throw new SessionError("invalid_request", `No change of the session in ${file}`);
    return found;
  });
}
