import type { ToolResult } from "@pintle/agent";
import type { Static, TSchema } from "typebox";
import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import type { Logger } from "./logger.ts";
import type { CustomToolContext } from "./session-types.ts";

/** A change of the session, or something that happens in it. Further fields are those of the event with that name. */
export interface CustomToolSessionEvent {
  reason:
    | "start"
    | "switch"
    | "branch"
    | "tree"
    | "shutdown"
    | "auto_compaction_start"
    | "auto_compaction_end"
    | "auto_retry_start"
    | "auto_retry_end"
    | "ttsr_triggered"
    | "todo_reminder";
  previousSessionFile?: string | undefined;
  [field: string]: unknown;
}

export type CustomToolUpdate<D = unknown> = (partial: ToolResult<D>) => void;

/** A tool as a module in a tools folder writes it. Mind the order of the arguments: an extension's tool has another. */
export interface CustomTool<P extends TSchema = TSchema, D = unknown, A = Static<P>> {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  label: string;
  description: string;
  /** A TypeBox schema or a plain JSON Schema of an object. */
  parameters: P;
  /** One line for the list of tools in the system prompt. */
  promptSnippet?: string;
  /** Said in the system prompt while the model has the tool. */
  promptGuidelines?: readonly string[];
  /** Only offered when it is asked for by name. */
  hidden?: boolean;
  /** May stage changes with `pushPendingAction`. */
  deferrable?: boolean;
  execute(
    toolCallId: string,
    params: A,
    onUpdate: CustomToolUpdate<D> | undefined,
    ctx: CustomToolContext,
    signal: AbortSignal | undefined,
  ): Promise<ToolResult<D>> | ToolResult<D>;
  onSession?(event: CustomToolSessionEvent, ctx: CustomToolContext): Promise<void> | void;
  /** For terminals; never called here. */
  renderCall?: unknown;
  renderResult?: unknown;
}

export type CustomToolPendingAction = Omit<PendingActionInput, "sourceToolName"> & { sourceToolName?: string };

export interface ExecOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds; without it there is no limit. */
  timeout?: number | undefined;
  /** Relative to the session's directory, which is the default. */
  cwd?: string | undefined;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  /** As a shell gives it: 127 when the program was not found, 128 + n when it was ended by signal n. */
  code: number;
  /** It was told to end: by the signal, the time limit or the end of the session. */
  killed: boolean;
  /** Set when an output was longer than the limit: its beginning is missing. */
  truncated?: true;
}

/** What a module's factory gets; one object for all modules. */
export interface CustomToolAPI {
  /** The session's directory. */
  readonly cwd: string;
  /** Runs a program to its end. A failure of the program is a result, not an exception. */
  exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  readonly ui: ExtensionUi;
  readonly hasUI: boolean;
  readonly logger: Logger;
  /** The schema library. */
  readonly typebox: typeof import("typebox");
  /** What pintle exports. */
  readonly pi: Readonly<Record<string, unknown>>;
  /** Stages a change that is applied or discarded later, on purpose. */
  pushPendingAction(action: CustomToolPendingAction): void;
}

// Inside a factory the arguments of a tool have no type of their own: it may return tools of many schemas.
// biome-ignore lint/suspicious/noExplicitAny: as above, and `unknown` would make every author cast
type AnyCustomTool = CustomTool<TSchema, unknown, any>;

export type CustomToolFactory = (
  pi: CustomToolAPI,
) => AnyCustomTool | AnyCustomTool[] | Promise<AnyCustomTool | AnyCustomTool[]>;
