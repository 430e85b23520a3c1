import type { AgentEvent, AgentMessage, Next, ToolChoiceDirective } from "@pintle/agent";

/** How another session takes the place of the open one. */
export type ChangeKind = "new" | "resume" | "fork";

/** What goes to the model with a prompt. */
export interface PromptAddition {
  /** Inserted before the prompt. */
  before?: readonly AgentMessage[];
  /** Inserted after it. */
  behind?: readonly AgentMessage[];
  /** Which tool the first call must use. */
  directive?: ToolChoiceDirective | undefined;
}

export type RestoreCause = ChangeKind | "moved";

/**
 * Decides, together with the model, how a run proceeds. A policy is a value in the one ordered list of a session; steps
 * that it does not take part in are absent. Steps are listed in the order in which a run reaches them.
 */
export interface RunPolicy {
  readonly name: string;
  /** Puts in order what the checks before a run look at. */
  prepare?(): void | Promise<void>;
  /** The last step before a run, when nothing else speaks against it. Throws why it cannot start. */
  beforeRun?(signal: AbortSignal): Promise<void>;
  /** Nothing can stop the run any more. `earlier` is the conversation without the prompt. */
  onPrompt?(text: string, earlier: readonly AgentMessage[]): PromptAddition;
  /**
   * Sees every event of a run before it is emitted, except updates of a message: there are thousands, and only rules
   * watch them.
   */
  before?(event: AgentEvent): void;
  /** Sees the same events after they were emitted. */
  after?(event: AgentEvent): void;
  /** What follows a turn. */
  readonly next?: Next;
  /** The conversation has changed: a session was opened, or the open one continues from another entry of its tree. */
  restore?(cause: RestoreCause): void;
  /** The session ends. */
  close?(): void | Promise<void>;
}
