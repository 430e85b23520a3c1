import type { ToolResult } from "@pintle/agent";
import type { Static, TSchema } from "typebox";
import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import type { Logger } from "./logger.ts";
import type { CustomToolContext } from "./session-types.ts";

/** A session change, or an event in the session. Additional fields are those of the event with that name. */
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

/**
 * A tool that a module in a tools folder defines. The order of `execute`'s arguments differs from that of an extension's tool.
 */
export interface CustomTool<P extends TSchema = TSchema, D = unknown, A = Static<P>> {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  label: string;
  description: string;
  /** A TypeBox schema or a plain JSON Schema of an object. */
  parameters: P;
  /** One line for the list of tools in the system prompt. */
  promptSnippet?: string;
  /** Added to the system prompt while the model has the tool. */
  promptGuidelines?: readonly string[];
  /** Offered only when requested by name. */
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
  /** For terminals; pintle never calls these. */
  renderCall?: unknown;
  renderResult?: unknown;
}

export type CustomToolPendingAction = Omit<PendingActionInput, "sourceToolName"> & { sourceToolName?: string };

export interface ExecOptions {
  signal?: AbortSignal | undefined;
  /** In milliseconds; default: no limit. */
  timeout?: number | undefined;
  /** Relative to the session's directory, which is the default. */
  cwd?: string | undefined;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  /** The exit code as a shell reports it: 127 if the program was not found, 128 + n if signal n killed it. */
  code: number;
  /** True if it was asked to stop by the signal, the time limit or the end of the session. */
  killed: boolean;
  /** Set if an output exceeded the limit; its start is missing. */
  truncated?: true;
}

/** The object passed to a module's factory; shared by all modules. */
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
  /** Stages a change that must be applied or discarded explicitly. */
  pushPendingAction(action: CustomToolPendingAction): void;
}

// Inside a factory, tool arguments have no specific type, because it may return tools with many schemas.
// biome-ignore lint/suspicious/noExplicitAny: as above, and `unknown` would make every author cast
type AnyCustomTool = CustomTool<TSchema, unknown, any>;

export type CustomToolFactory = (
  pi: CustomToolAPI,
) => AnyCustomTool | AnyCustomTool[] | Promise<AnyCustomTool | AnyCustomTool[]>;
