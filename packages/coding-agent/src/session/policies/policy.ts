import type {
  AgentEvent,
  AgentMessage,
  Next,
  StandingChoice,
  StreamWatcher,
  ToolChoiceDirective,
  ToolResult,
} from "@pintle/agent";
import type { ToolCall } from "@pintle/ai";

/** How another session takes the place of the open one. */
export type ChangeKind = "new" | "resume" | "fork";

/** What goes to the model with a prompt. */
export interface PromptAddition {
  /** Stands before the prompt. */
  before?: readonly AgentMessage[];
  /** Stands behind it. */
  behind?: readonly AgentMessage[];
  /** Which tool the first call must use. */
  directive?: ToolChoiceDirective | undefined;
}

export type RestoreCause = ChangeKind | "moved";

/**
 * Decides, beside the model, how a run goes on. A policy is a value in the one ordered list of a session; each step it does
 * not take part in is absent. Steps stand here in the order in which a run comes to them.
 */
export interface RunPolicy {
  readonly name: string;
  /** Puts in order what the checks before a run look at. */
  prepare?(): void | Promise<void>;
  /** The last step before a run, when nothing else speaks against it. Throws why it cannot start. */
  beforeRun?(signal: AbortSignal): Promise<void>;
  /** Nothing can stop the run any more. `earlier` is the conversation without the prompt. */
  onPrompt?(text: string, earlier: readonly AgentMessage[]): PromptAddition;
  /** The tool that the next model call must use. */
  readonly choice?: StandingChoice;
  /** Before each model call of a run. A policy that wants none ends the run; what it throws fails the call. */
  beforeCall?(signal: AbortSignal): Promise<void>;
  /** Sees every event of a run before it is emitted, but for updates of a message: there are thousands, and `watch` sees them. */
  before?(event: AgentEvent): void;
  /** Sees the same events after they were emitted. */
  after?(event: AgentEvent): void;
  /** Sees every update of an answer, and may stop it. */
  readonly watch?: StreamWatcher;
  /** The message is kept in the history and leaves the conversation. */
  isDiscarded?(message: AgentMessage): boolean;
  /** Changes the result of a tool, before extensions see it. */
  amend?(call: ToolCall, result: ToolResult): Partial<ToolResult> | undefined;
  /** What follows a turn. */
  readonly next?: Next;
  /** Between the end of a run and the moment it is settled. Must not reject. */
  afterRun?(): Promise<void>;
  /** The conversation is another one: a session was opened, or the open one goes on from another place of its tree. */
  restore?(cause: RestoreCause): void;
  /** The session ends. */
  close?(): void | Promise<void>;
}
