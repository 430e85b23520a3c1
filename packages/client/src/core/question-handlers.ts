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

// The answers that handlers return, by kind of question.

export interface QuestionContext {
  /**
   * Aborted when the answer is no longer needed. If the server gives a reason (`answered`, `timeout`, …), it is the `cause` of
   * `signal.reason`.
   */
  signal: AbortSignal;
}

type Awaitable<T> = T | Promise<T>;

/** A handler whose answer has the type `A`. With `const A`, a literal returned from an async function keeps its literal type. */
// biome-ignore lint/suspicious/noExplicitAny: any handler
export type Handler<H extends (request: any, context: QuestionContext) => unknown, A> = (
  request: Parameters<H>[0],
  context: QuestionContext,
) => Awaitable<A>;

/** `undefined` cancels the dialog. Requests that only inform ignore the return value. */
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

/** Only an explicit yes grants trust. */
export type TrustAnswer = boolean | { trusted: boolean; remember?: boolean };
export type TrustHandler = (request: TrustRequest, context: QuestionContext) => Awaitable<TrustAnswer>;

/** Only an explicit permission allows the call. */
export type ApprovalAnswer =
  | ApprovalResponse["decision"]
  | Pick<ApprovalResponse, "decision" | "rules" | "note">
  | undefined;
export type ApprovalHandler = (request: ApprovalRequest, context: QuestionContext) => Awaitable<ApprovalAnswer>;

/** The URL that the browser was redirected to; `undefined` cancels the login. */
export type LoginAnswer = string | undefined;
export type LoginHandler = (request: McpAuthRequest, context: QuestionContext) => Awaitable<LoginAnswer>;

/** `undefined` leaves the decision to another handler, or to the deadline. */
export type PreviewAnswer =
  | "apply"
  | "discard"
  /**
   * With `files`, `hunks` or `edits`, only these parts of the change are applied, and the rest is discarded. `edits` have the
   * whole new text of a file.
   */
  | {
      action: "apply" | "discard";
      reason?: string;
      files?: string[];
      hunks?: string[];
      edits?: { path: string; content: string }[];
    }
  | undefined;
export type PreviewHandler = (preview: PendingActionInfo, context: QuestionContext) => Awaitable<PreviewAnswer>;

/** New totals for the budget's limits. With `undefined` the run waits for another answer, or ends at its deadline. */
export type BudgetAnswer = BudgetAmounts | undefined;
export type BudgetHandler = (event: BudgetReachedEvent, context: QuestionContext) => Awaitable<BudgetAnswer>;

/**
 * For `read`, the file's text; for `write`, true. With `undefined` or false the file is not open here, and the server uses the
 * disk.
 */
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

/** By the method that installs a handler: the capability that the handler provides. */
export const CAPABILITY_OF = {
  onUiRequest: "ui",
  onTrustRequest: "trust",
  onApproval: "approvals",
  onMcpAuth: "mcpAuth",
  onPreview: "resolvePreviews",
  onBudget: "budgets",
  onFileRequest: "fs",
  onTerminalRequest: "terminal",
} as const satisfies Record<string, keyof Handlers>;

/** Whether this host has a handler, by capability. */
export type Capabilities = { [C in keyof Handlers]?: boolean };
