import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PermitCall, ToolResult } from "@pintle/agent";
import { canonicalPath, expandHome, isInside } from "@pintle/foundation";
import { isEntry, SessionError, type SessionManager } from "@pintle/storage";
import type { AgentSessionEvent, Params, Result, RewindResult, SessionEntry, UndoState } from "@pintle/wire";
import type { Checkpoints } from "../../checkpoints/checkpoints.ts";
import { type Coverage, initialCoverage } from "../../checkpoints/coverage.ts";
import type { CallKind } from "../../checkpoints/tracking/call-tracker.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ChangeLock } from "../runs/change-lock.ts";

export interface SessionUndoParts {
  settings: Settings;
  /** The configuration directory of pintle. */
  home: string;
  userHome: string;
  conversation: OpenConversation;
  changeLock: ChangeLock;
  isRunning(): boolean;
  /** Returns the temporary directory of a session in memory. */
  scratch(): Promise<string>;
  /** Whether commands of this session are running in the background. */
  hasBackground(): boolean;
  /** Returns how the changes of a call are found, or undefined if it changes nothing. */
  kindOf(call: PermitCall): Promise<CallKind | undefined>;
  now(): number;
  emit(event: AgentSessionEvent): void;
}

/** A move of the conversation that also reverts files. */
export interface FileMove {
  files?: boolean | undefined;
  onConflict?: Params<"rewind_files">["onConflict"];
}

type Rewound = RewindResult & { event?: AgentSessionEvent };

const BUSY_TEXT = "Files cannot be rewound while a run is active; abort it first";
const CHECKPOINT_TYPES: ReadonlySet<unknown> = new Set(["file-checkpoint", "file-rewind"]);
const MAX_PROMPT = 200;

/**
 * Undo for the open conversation. The first call that may change a file, or the first command about changes, loads the code and
 * opens the store on disk, so a run without tools costs nothing.
 */
export class SessionUndo {
  readonly #parts: SessionUndoParts;
  #opening: { manager: SessionManager; sessionId: string; checkpoints: Promise<Checkpoints> } | undefined;
  #open: Checkpoints | undefined;
  #run: { entryId: string; prompt: string } = { entryId: "", prompt: "" };
  #isReviewed = false;
  /** Cached for `state`, which every `get_state` reads. */
  #known: { of: string; coverage: Coverage } | undefined;
  /** How many entries were searched, and what was found. Entries are only added. */
  #searched: { manager: SessionManager; count: number; hasHistory: boolean } | undefined;

  constructor(parts: SessionUndoParts) {
    this.#parts = parts;
  }

  // Runs and calls

  /** Called at the start of a run, when its first message is stored. */
  startRun(entryId: string, prompt: string): void {
    this.#run = { entryId, prompt: prompt.slice(0, MAX_PROMPT) };
    this.#open?.startRun(this.#trackedRun());
  }

  startTurn(): void {
    this.#open?.startTurn();
  }

  /** Called after the end of a call has been emitted. */
  flush(): void {
    this.#open?.flush();
  }

  /** Cleans up after a killed process, before the first prompt of an opened session. */
  async review(): Promise<void> {
    if (this.#isReviewed) return;
    this.#isReviewed = true;
    if (this.#coverage().coverage !== "off" && this.#isStored && existsSync(await this.#directory()))
      await this.#load();
  }

  async around(call: PermitCall, signal: AbortSignal, execute: () => Promise<ToolResult>): Promise<ToolResult> {
    if (this.#parts.settings.get("checkpoints.coverage") === "off") return execute();
    const kind = await this.#parts.kindOf(call);
    if (kind === undefined) return execute();
    const { tracker } = await this.#load();
    return tracker.around({ id: call.id, tool: call.tool.name, kind, signal }, execute);
  }

  /** Applies a preview that the host decides, outside a tool call. */
  async aroundPreview<T>(apply: () => Promise<T>): Promise<T> {
    if (this.#parts.settings.get("checkpoints.coverage") === "off") return apply();
    const checkpoints = await this.#load();
    try {
      return await apply();
    } finally {
      checkpoints.tracker.finishWrites();
      if (!this.#parts.isRunning()) checkpoints.flush();
    }
  }

  beforeWrite(real: string, toolCallId?: string): void {
    this.#open?.tracker.beforeWrite(real, toolCallId);
  }

  // Commands

  async checkpoints(limit?: number): Promise<Result<"get_checkpoints">> {
    this.#requireCoverage();
    if (!this.#hasHistory && !this.#open) return { checkpoints: [] };
    return { checkpoints: (await this.#load()).list(limit) };
  }

  async changes(query: Params<"get_changes">): Promise<Result<"get_changes">> {
    return (await this.#load()).changes(query);
  }

  rewind(request: Params<"rewind_files">): Promise<RewindResult> {
    return this.#exclusively((checkpoints) => checkpoints.rewind(request));
  }

  redo(request: Params<"redo_files">): Promise<RewindResult> {
    return this.#exclusively((checkpoints) => checkpoints.redo(request));
  }

  /** Returns the paths that these rewinds changed. */
  async pathsOf(rewindIds: readonly string[]): Promise<string[]> {
    return (await this.#load()).rewoundPaths(rewindIds);
  }

  /** Records in the open session that files were rewound in the session that it continues. */
  async adopt(rewindId: string): Promise<void> {
    (await this.#load()).adopt(rewindId);
  }

  /** Returns undefined if `load` has to read the history first. */
  get state(): UndoState | undefined {
    if (this.#open && this.#opening?.manager === this.#manager) return this.#open.state;
    if (this.#hasHistory && this.#knownCoverage().coverage !== "off") return undefined;
    return { ...this.#knownCoverage(), checkpoints: 0, canUndo: false, canRedo: false };
  }

  async load(): Promise<void> {
    await this.#load();
  }

  // Moves of the conversation; no run is active

  /** Reverts the files of a move before the conversation moves. Returns undefined if the move does not include files. */
  async beforeMove(to: string, { files, onConflict }: FileMove): Promise<FileRewind | undefined> {
    if (!files) return undefined;
    const checkpoints = await this.#load();
    try {
      return this.#moved(checkpoints, checkpoints.rewind({ to, onConflict }));
    } catch (error) {
      if (!(error instanceof SessionError) || error.message !== "Nothing to undo") throw error;
      const nothing: RewindResult = { dryRun: false, canRewind: true, files: [], conflicts: [], warnings: [] };
      return this.#moved(checkpoints, nothing);
    }
  }

  /** Removes the oldest checkpoints above the bound; called when the session ends, once something was recorded. */
  async prune(): Promise<void> {
    if (!this.#open || !this.#isStored) return;
    const { home, settings, now } = this.#parts;
    const [{ pruneStores }, { STORES_DIRECTORY }] = await Promise.all([
      import("../../checkpoints/store/prune-stores.ts"),
      import("../../checkpoints/store/workspace-store.ts"),
    ]);
    pruneStores(join(realPathOf(home), STORES_DIRECTORY), {
      maxBytes: settings.get("checkpoints.maxStoreBytes"),
      now: now(),
    });
  }

  /** Closes the store of the previous conversation. */
  leave(): void {
    this.#drop();
    this.#isReviewed = false;
    this.#run = { entryId: "", prompt: "" };
  }

  #drop(): void {
    this.#open?.close();
    this.#open = undefined;
    this.#opening = undefined;
  }

  #moved(checkpoints: Checkpoints, { event, ...result }: Rewound): FileRewind {
    if (event) this.#parts.emit(event);
    const { rewindId } = result;
    return {
      result,
      undo: () => {
        if (rewindId === undefined) return;
        const { event: redone } = checkpoints.redo({ rewindId });
        if (redone) this.#parts.emit(redone);
      },
    };
  }

  /** No run starts in between. */
  async #exclusively(work: (checkpoints: Checkpoints) => Rewound): Promise<RewindResult> {
    this.#requireIdle();
    return this.#parts.changeLock.run(async () => {
      const checkpoints = await this.#load();
      this.#requireIdle();
      const { event, ...result } = work(checkpoints);
      if (event) this.#parts.emit(event);
      return result;
    });
  }

  #requireCoverage(): void {
    if (this.#parts.settings.get("checkpoints.coverage") !== "off") return;
    throw new SessionError("not_supported", "Checkpoints are turned off by the setting checkpoints.coverage");
  }

  #requireIdle(): void {
    if (this.#parts.isRunning()) throw new SessionError("busy", BUSY_TEXT);
  }

  #load(): Promise<Checkpoints> {
    const manager = this.#manager;
    const isOpen = this.#opening?.manager === manager && this.#opening.sessionId === manager.sessionId;
    if (!isOpen) {
      this.#requireCoverage();
      this.#drop();
      this.#opening = { manager, sessionId: manager.sessionId, checkpoints: this.#create(manager) };
    }
    return this.#opening!.checkpoints;
  }

  async #create(manager: SessionManager): Promise<Checkpoints> {
    const { settings, conversation, home, hasBackground, now, emit } = this.#parts;
    const { Checkpoints } = await import("../../checkpoints/index.ts");
    const { cwd, roots } = this.#places();
    const checkpoints = new Checkpoints({
      session: {
        sessionId: manager.sessionId,
        entries: () => manager.entries(),
        lastEntryId: () => manager.entries().at(-1)?.id ?? "",
        append: (customType, data) => void manager.appendCustom(customType, data),
      },
      directory: await this.#directory(),
      cwd,
      roots,
      home: realPathOf(home),
      settings: {
        include: settings.get("checkpoints.include"),
        maxFileBytes: settings.get("checkpoints.maxFileBytes"),
        maxFiles: settings.get("checkpoints.maxFiles"),
        maxBytes: settings.get("checkpoints.maxBytes"),
        timeoutMs: settings.get("checkpoints.timeoutMs"),
      },
      coverage: this.#coverage(),
      hasBackground,
      now,
      emit,
    });
    await checkpoints.recover();
    checkpoints.startRun(this.#trackedRun());
    if (conversation.manager === manager) this.#open = checkpoints;
    return checkpoints;
  }

  #trackedRun() {
    return { entryId: () => this.#run.entryId, prompt: () => this.#run.prompt };
  }

  async #directory(): Promise<string> {
    const { cwd } = this.#places();
    const { storeDirectory } = await import("../../checkpoints/store/workspace-store.ts");
    if (this.#isStored) return storeDirectory(this.#parts.home, cwd);
    return join(await this.#parts.scratch(), "checkpoints");
  }

  #coverage(): Coverage {
    const { settings, userHome } = this.#parts;
    return initialCoverage(settings.get("checkpoints.coverage"), {
      roots: this.#places().roots,
      userHome: realPathOf(userHome),
    });
  }

  /** Returns the same without accessing the file system again while the settings and the directory are the same. */
  #knownCoverage(): Coverage {
    const { settings, conversation } = this.#parts;
    const roots = settings.get("permissions.roots");
    const of = JSON.stringify([settings.get("checkpoints.coverage"), conversation.cwd, roots]);
    if (this.#known?.of !== of) this.#known = { of, coverage: this.#coverage() };
    return this.#known.coverage;
  }

  /** Returns real paths. A directory inside another one is part of it. */
  #places(): { cwd: string; roots: string[] } {
    const { settings, conversation } = this.#parts;
    const cwd = realPathOf(conversation.cwd);
    const all = [cwd, ...settings.get("permissions.roots").map((root) => realPathOf(resolve(cwd, expandHome(root))))];
    const unique = [...new Set(all)];
    return { cwd, roots: unique.filter((root) => !unique.some((other) => other !== root && isInside(other, root))) };
  }

  get #manager(): SessionManager {
    return this.#parts.conversation.manager;
  }

  get #isStored(): boolean {
    return this.#manager.sessionFile !== undefined;
  }

  get #hasHistory(): boolean {
    const manager = this.#manager;
    const entries = manager.entries();
    if (this.#searched?.manager !== manager) this.#searched = { manager, count: 0, hasHistory: false };
    const searched = this.#searched;
    for (; !searched.hasHistory && searched.count < entries.length; searched.count += 1) {
      searched.hasHistory = isOfUndo(entries[searched.count]!);
    }
    return searched.hasHistory;
  }
}

/** The files of a move of the conversation. */
export interface FileRewind {
  result: RewindResult;
  /** Restores the files if the conversation did not move. */
  undo(): void;
}

function isOfUndo(entry: SessionEntry): boolean {
  return isEntry(entry, "custom") && CHECKPOINT_TYPES.has(entry.customType);
}

function realPathOf(path: string): string {
  return canonicalPath(path);
}
