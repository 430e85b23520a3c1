import type {
  ApprovalRequest,
  ApprovalResponse,
  BudgetAmounts,
  BudgetReachedEvent,
  ExtensionUiRequest,
  HostFsRequest,
  HostTerminalRequest,
  HostTerminalResult,
  McpAuthRequest,
  PendingActionInfo,
  TrustRequest,
} from "../protocol.ts";

// What hosts answer, by question.

export interface QuestionContext {
  /** Fires when no answer is wanted any more; the `cause` of its reason says why, where the server does: `answered`, `timeout` … */
  signal: AbortSignal;
}

type Awaitable<T> = T | Promise<T>;

/** `undefined` cancels the dialog. Requests that only inform have no answer. */
export type UiAnswer =
  | string
  | boolean
  | undefined
  | { value: string }
  | { confirmed: boolean }
  | { cancelled: true; timedOut?: boolean };
export type UiHandler = (
  request: Exclude<ExtensionUiRequest, { method: "cancel" }>,
  context: QuestionContext,
) => Awaitable<UiAnswer>;

/** Nothing but an explicit yes is one. */
export type TrustAnswer = boolean | { trusted: boolean; remember?: boolean };
export type TrustHandler = (request: TrustRequest, context: QuestionContext) => Awaitable<TrustAnswer>;

/** Nothing but an explicit permission is one. */
export type ApprovalAnswer =
  | ApprovalResponse["decision"]
  | Pick<ApprovalResponse, "decision" | "rules" | "note">
  | undefined;
export type ApprovalHandler = (request: ApprovalRequest, context: QuestionContext) => Awaitable<ApprovalAnswer>;

/** The address that the browser was sent back to; undefined: nobody logs in. */
export type LoginHandler = (request: McpAuthRequest, context: QuestionContext) => Awaitable<string | undefined>;

/** `undefined` leaves the decision to another handler, or to the deadline. */
export type PreviewAnswer =
  | "apply"
  | "discard"
  /** `files`: it is applied for these alone, and the rest is discarded. */
  | { action: "apply" | "discard"; reason?: string; files?: string[] }
  | undefined;
export type PreviewHandler = (preview: PendingActionInfo, context: QuestionContext) => Awaitable<PreviewAnswer>;

/** New totals for limits of the budget. `undefined`: the run waits for another answer, or ends at its deadline. */
export type BudgetAnswer = BudgetAmounts | undefined;
export type BudgetHandler = (event: BudgetReachedEvent, context: QuestionContext) => Awaitable<BudgetAnswer>;

/** Of `read` the text, of `write` true. `undefined` or false: the file is not open here, and the disk counts. */
export type FileAnswer = string | boolean | undefined;
export type FileHandler = (
  request: Exclude<HostFsRequest, { method: "cancel" }>,
  context: QuestionContext,
) => Awaitable<FileAnswer>;

export type TerminalAnswer = Pick<HostTerminalResult, "output" | "exitCode" | "error">;
export type TerminalHandler = (
  request: Exclude<HostTerminalRequest, { method: "cancel" }>,
  context: QuestionContext,
) => Awaitable<TerminalAnswer>;

export interface Handlers {
  ui: UiHandler;
  trust: TrustHandler;
  resolvePreviews: PreviewHandler;
  approvals: ApprovalHandler;
  mcpAuth: LoginHandler;
  budgets: BudgetHandler;
  fs: FileHandler;
  terminal: TerminalHandler;
}

/** By capability: whether a handler here can answer. */
export type Capabilities = { [C in keyof Handlers]?: boolean };
