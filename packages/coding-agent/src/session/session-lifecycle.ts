import type { Agent } from "@pintle/agent";
import type { NavigateOptions, Navigation } from "../compaction/tree-navigation.ts";
import { NotSavedError, SessionError } from "../storage/session-error.ts";
import type { SessionManager } from "../storage/session-manager.ts";
import type { SessionStore } from "../storage/session-store.ts";
import type { Consent } from "./consent.ts";
import type { ModelControl } from "./model-control.ts";
import type { ModelState } from "./model-state.ts";
import type { OpenConversation } from "./open-conversation.ts";
import type { Prompting } from "./prompting.ts";
import type { RunController } from "./run-controller.ts";
import type { RunPolicies } from "./run-policies.ts";
import { type ChangeKind, SessionChanges } from "./session-changes.ts";
import type { SessionCompaction } from "./session-compaction.ts";
import type { AgentSessionEvent, CompactionResult } from "./session-events.ts";
import { SessionGate } from "./session-gate.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { SessionProcesses } from "./session-processes.ts";
import type { SessionTodos } from "./session-todos.ts";
import type { SessionTools } from "./session-tools.ts";

export interface SessionChange {
  kind: ChangeKind | "shutdown";
  previousSessionFile?: string | undefined;
}

/** Must not throw. */
export type ChangeListener = (change: SessionChange) => void | Promise<void>;

export interface SessionLifecycleParts {
  /** Where relative paths start. */
  cwd: string;
  store: SessionStore;
  agent: Agent;
  conversation: OpenConversation;
  runs: RunController;
  prompting: Prompting;
  compaction: SessionCompaction;
  tooling: SessionTools;
  processes: SessionProcesses;
  models: ModelControl;
  modelState: ModelState;
  policies: RunPolicies;
  todos: SessionTodos;
  consent: Consent;
  hooks(): SessionHooks;
  /** What another directory brings takes the place of what the last one brought. Must not reject. */
  enterDirectory?(cwd: string): Promise<void>;
  emit(event: AgentSessionEvent): void;
}

const SESSION_CHANGED_TEXT = "Session changed before the action was resolved.";
const DRAIN_MS = 2_000;

/** What ends the work in a session or puts another one in its place; one at a time, and no run starts in the middle. */
export class SessionLifecycle {
  readonly changes: SessionChanges;
  readonly gate = new SessionGate();
  readonly #parts: SessionLifecycleParts;
  readonly #listeners: ChangeListener[] = [];
  /** The directory whose modules are loaded. */
  #directory: string;
  /** What was asked for before an abort must not begin after it. */
  #abortCount = 0;

  constructor(parts: SessionLifecycleParts) {
    this.#parts = parts;
    this.#directory = parts.conversation.cwd;
    this.changes = new SessionChanges(parts.store, this.gate, {
      cwd: parts.cwd,
      current: () => parts.conversation.manager,
      hooks: parts.hooks,
      runToEnd: () => this.#endOfSession(),
      adopt: (next, kind) => this.#adopt(next, kind),
      moveIn: async () => {
        if (this.#hasMoved) await parts.enterDirectory?.(parts.conversation.cwd);
      },
      movedIn: () => {
        if (this.#hasMoved) parts.consent.askAgain();
        this.#directory = parts.conversation.cwd;
      },
    });
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Resolves when the session is idle; at once when it is. */
  async abort(): Promise<void> {
    this.#abortCount += 1;
    await Promise.all([this.#parts.compaction.abort(), this.#parts.runs.abort()]);
  }

  /** Ends a run, which is not resumed, and replaces older messages by a summary. */
  compact(customInstructions?: string): Promise<CompactionResult> {
    const { compaction, runs, conversation } = this.#parts;
    const endRun = runs.endOfNewest();
    const abortCount = this.#abortCount;
    return this.gate.run(async () => {
      await Promise.all([compaction.abort(), endRun()]);
      conversation.requireWritable();
      if (this.#abortCount !== abortCount) throw new SessionError("cancelled", "Compaction cancelled");
      return compaction.compact(customInstructions);
    });
  }

  /** Goes on from another place of the session's tree. A run is ended first. */
  navigateTree(entryId: string, options: NavigateOptions): Promise<Navigation> {
    const { compaction, runs, conversation, todos, policies } = this.#parts;
    const endRun = runs.endOfNewest();
    return this.gate.run(async () => {
      await Promise.all([compaction.abort(), endRun()]);
      conversation.requireWritable();
      const moved = await compaction.navigate(entryId, options);
      todos.restore();
      policies.restore();
      return moved;
    });
  }

  /** A change under way is waited for, so that whatever is open in the end is closed. Rejects when not all was stored. */
  dispose(): Promise<void> {
    const { tooling, compaction, todos, processes, conversation, consent } = this.#parts;
    consent.close();
    const aborted = this.abort();
    return this.gate.run(async () => {
      await aborted;
      await tooling.previews.drain("The session was closed", { eachMs: DRAIN_MS, totalMs: DRAIN_MS });
      await compaction.dispose();
      todos.close();
      await this.#told({ kind: "shutdown" });
      await processes.end("shutdown");
      const { manager } = conversation;
      const isSaved = manager.sync();
      manager.close();
      if (!isSaved) throw new NotSavedError(manager.sessionFile ?? "");
    });
  }

  get #hasMoved(): boolean {
    return this.#parts.conversation.cwd !== this.#directory;
  }

  async #told(change: SessionChange): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener(change)));
  }

  /** Nothing that was staged in the session may be applied in the next one. */
  #endOfSession(): () => Promise<void> {
    const { runs, prompting, compaction, tooling } = this.#parts;
    const endRun = runs.endOfNewest();
    return async () => {
      await Promise.all([compaction.abort(), endRun(), prompting.arrived()]);
      await tooling.previews.drain(SESSION_CHANGED_TEXT, { eachMs: DRAIN_MS, totalMs: Number.POSITIVE_INFINITY });
    };
  }

  #adopt(next: SessionManager, kind: ChangeKind): void {
    const { agent, conversation, processes, models, modelState, policies, todos, compaction, emit } = this.#parts;
    const previousSessionFile = conversation.manager.sessionFile;
    void processes.end("session_change");
    const context = conversation.adopt(next);
    agent.queue.clear("steering", "followUp", "nextTurn");
    const problem = kind === "new" ? undefined : modelState.restore(context);
    models.recordFirst();
    policies.restore();
    todos.restore();
    conversation.announce();
    compaction.watchIdle();
    void this.#told({ kind, previousSessionFile });
    if (problem !== undefined) emit({ type: "notice", level: "warning", message: problem, source: "model" });
  }
}
