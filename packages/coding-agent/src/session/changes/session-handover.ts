import type { Agent } from "@pintle/agent";
import type { SessionManager } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import type { BackgroundJobs } from "../../jobs/background-jobs.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelControl } from "../models/model-control.ts";
import type { ModelState } from "../models/model-state.ts";
import type { ChangeKind } from "../policies/policy.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import type { SessionCompaction } from "../policies/session-compaction.ts";
import type { SessionProcesses } from "../processes/session-processes.ts";
import type { Prompting } from "../prompting/prompting.ts";
import type { Consent } from "../runs/consent.ts";
import type { Interruptions } from "../runs/interruption.ts";
import type { RunController } from "../runs/run-controller.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { SessionTools } from "../tools/session-tools.ts";

export interface SessionChange {
  kind: ChangeKind | "shutdown";
  previousSessionFile?: string | undefined;
}

/** Must not throw. */
export type ChangeListener = (change: SessionChange) => void | Promise<void>;

export interface SessionHandoverParts {
  agent: Agent;
  conversation: OpenConversation;
  runs: RunController;
  prompting: Prompting;
  compaction: SessionCompaction;
  tooling: SessionTools;
  processes: SessionProcesses;
  jobs: BackgroundJobs;
  models: ModelControl;
  modelState: ModelState;
  policies: RunPolicies;
  consent: Consent;
  hooks(): SessionHooks;
  /** Replaces the project content of the previous directory with that of another. Must not reject. */
  enterDirectory?(cwd: string): Promise<void>;
  interruptions: Interruptions;
  emit(event: AgentSessionEvent): void;
}

const SESSION_CHANGED_TEXT = "Session changed before the action was resolved.";
/** How long each staged change may take to clean up. */
export const DRAIN_MS = 2_000;

/** Replaces the open session with another. `SessionChanges` decides which. */
export class SessionHandover {
  readonly #parts: SessionHandoverParts;
  readonly #listeners: ChangeListener[] = [];
  /** The directory whose modules are loaded. */
  #directory: string;

  constructor(parts: SessionHandoverParts) {
    this.#parts = parts;
    this.#directory = parts.conversation.cwd;
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  async notify(change: SessionChange): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener(change)));
  }

  get current(): SessionManager {
    return this.#parts.conversation.manager;
  }

  /**
   * Returns the function that ends the current run, with all its events. It also discards staged changes, which must not be
   * applied in the next session.
   */
  endOfWork(): () => Promise<void> {
    const { runs, prompting, compaction, tooling, jobs } = this.#parts;
    const endRun = runs.endOfNewest();
    return async () => {
      prompting.giveUpLookups();
      await Promise.all([compaction.abort(), endRun(), prompting.placed()]);
      await jobs.cancelAll(); // after the run, which may have started some
      await tooling.previews.drain(SESSION_CHANGED_TEXT, { eachMs: DRAIN_MS, totalMs: Number.POSITIVE_INFINITY });
    };
  }

  /**
   * Opens the next session in place of the open one, whose work has ended, and closes that one unless both are the same. With
   * `new`, model and thinking level are kept; otherwise they come from the next session's history.
   */
  async enter(next: SessionManager, kind: ChangeKind): Promise<void> {
    const { agent, conversation, processes, models, modelState, policies, consent, hooks, emit } = this.#parts;
    const previousSessionFile = conversation.manager.sessionFile;
    await hooks().leaveSession(kind, next.sessionFile);

    // Nothing else runs between here and the notification, so listeners see the next session complete.
    void processes.end("session_change"); // does not reject
    const context = conversation.adopt(next);
    agent.queue.clear("steering", "followUp", "nextTurn");
    const problem = kind === "new" ? undefined : modelState.restore(context);
    models.recordFirst();
    policies.restore(kind);
    conversation.announce();
    void this.notify({ kind, previousSessionFile }); // does not reject: listeners report errors of their modules
    if (problem !== undefined) emit({ type: "notice", level: "warning", message: problem, source: "model" });
    if (kind === "resume") this.#parts.interruptions.notify();

    // The directory's modules are loaded before extensions are notified of the session.
    const hasMoved = conversation.cwd !== this.#directory;
    if (hasMoved) await this.#parts.enterDirectory?.(conversation.cwd);
    await hooks().enterSession(kind, previousSessionFile);
    if (hasMoved) consent.askAgain();
    this.#directory = conversation.cwd;
  }
}
