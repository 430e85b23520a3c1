import type { Agent } from "@pintle/agent";
import type { AgentSessionEvent, Interruption } from "@pintle/wire";
import type { SessionManager } from "../../storage/session-manager.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelControl } from "../models/model-control.ts";
import type { ModelState } from "../models/model-state.ts";
import type { ChangeKind } from "../policies/policy.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import type { SessionCompaction } from "../policies/session-compaction.ts";
import type { SessionProcesses } from "../processes/session-processes.ts";
import type { Prompting } from "../prompting/prompting.ts";
import type { Consent } from "../runs/consent.ts";
import { interruptionText } from "../runs/interruption.ts";
import type { RunController } from "../runs/run-controller.ts";
import type { SessionTools } from "../tools/session-tools.ts";

/** With `new` model and thinking level go on, otherwise they come from the session's own history. */

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
  models: ModelControl;
  modelState: ModelState;
  policies: RunPolicies;
  consent: Consent;
  /** What another directory brings takes the place of what the last one brought. Must not reject. */
  enterDirectory?(cwd: string): Promise<void>;
  /** Of the last run in the open conversation. */
  interruption(): Omit<Interruption, "promptEntryId"> | undefined;
  emit(event: AgentSessionEvent): void;
}

const SESSION_CHANGED_TEXT = "Session changed before the action was resolved.";
/** How long each staged change has for its clean-up. */
export const DRAIN_MS = 2_000;

/** The steps by which another session takes the place of the open one; `SessionChanges` puts them in order. */
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
   * For the run of this moment: ends it with all its events when it is called. Nothing that was staged in the session may be
   * applied in the next one.
   */
  endOfWork(): () => Promise<void> {
    const { runs, prompting, compaction, tooling } = this.#parts;
    const endRun = runs.endOfNewest();
    return async () => {
      prompting.giveUpLookups();
      await Promise.all([compaction.abort(), endRun(), prompting.placed()]);
      await tooling.previews.drain(SESSION_CHANGED_TEXT, { eachMs: DRAIN_MS, totalMs: Number.POSITIVE_INFINITY });
    };
  }

  /** One step: afterwards the new session is the open one and the old one, if it is another, is closed. */
  adopt(next: SessionManager, kind: ChangeKind): void {
    const { agent, conversation, processes, models, modelState, policies, emit } = this.#parts;
    const previousSessionFile = conversation.manager.sessionFile;
    // Stopping process groups does not reject.
    void processes.end("session_change");
    const context = conversation.adopt(next);
    agent.queue.clear("steering", "followUp", "nextTurn");
    const problem = kind === "new" ? undefined : modelState.restore(context);
    models.recordFirst();
    policies.restore(kind);
    conversation.announce();
    // Listeners report what their modules throw.
    void this.notify({ kind, previousSessionFile });
    if (problem !== undefined) emit({ type: "notice", level: "warning", message: problem, source: "model" });
    if (kind === "resume") this.tellInterruption();
  }

  /** A session that is opened again says where it stopped. */
  tellInterruption(): void {
    const found = this.#parts.interruption();
    if (!found) return;
    const level = found.cause === "lost" ? "warning" : "info";
    this.#parts.emit({ type: "notice", level, message: interruptionText(found), source: "session" });
  }

  /** What the session's directory brings is in place when this resolves, before extensions hear of the session. */
  async enterDirectory(): Promise<void> {
    if (this.#hasMoved) await this.#parts.enterDirectory?.(this.#parts.conversation.cwd);
  }

  /** Extensions have heard of the session, too. */
  finish(): void {
    if (this.#hasMoved) this.#parts.consent.askAgain();
    this.#directory = this.#parts.conversation.cwd;
  }

  get #hasMoved(): boolean {
    return this.#parts.conversation.cwd !== this.#directory;
  }
}
