import type { AgentEvent, AgentMessage, Next, ToolChoiceDirective } from "@pintle/agent";

/** How another session replaces the open one. */
export type ChangeKind = "new" | "resume" | "fork";

/** What is sent to the model with a prompt. */
export interface PromptAddition {
  /** Inserted before the prompt. */
  before?: readonly AgentMessage[];
  /** Inserted after the prompt. */
  behind?: readonly AgentMessage[];
  /** Which tool the first call must use. */
  directive?: ToolChoiceDirective | undefined;
}

export type RestoreCause = ChangeKind | "moved";

/**
 * Decides, together with the model, how a run proceeds. A policy is a value in the ordered list of a session, and omits the steps
 * that it does not take part in. The steps are listed in the order in which a run reaches them.
 */
export interface RunPolicy {
  readonly name: string;
  /** Prepares what the checks before a run read. */
  prepare?(): void | Promise<void>;
  /** The last step before a run. Throws the reason if the run cannot start. */
  beforeRun?(signal: AbortSignal): Promise<void>;
  /** Called when nothing can stop the run any more. `earlier` is the conversation without the prompt. */
  onPrompt?(text: string, earlier: readonly AgentMessage[]): PromptAddition;
  /**
   * Receives every event of a run before it is emitted, except message updates: there are thousands, and only rules
   * read them.
   */
  before?(event: AgentEvent): void;
  /** Receives the same events after they were emitted. */
  after?(event: AgentEvent): void;
  /** Decides what follows a turn. */
  readonly next?: Next;
  /**
   * Called when the conversation has changed: another session was opened, or this one continues from another entry of
   * its tree.
   */
  restore?(cause: RestoreCause): void;
  /** Called when the session ends. */
  close?(): void | Promise<void>;
}
