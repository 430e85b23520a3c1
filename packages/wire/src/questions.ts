import type { answerFrames, questionFrames } from "./frames/question-frames.ts";
import { DIALOG_METHODS } from "./frames/ui-requests.ts";

/** What a host declares with `set_host_capabilities`, in the order of the response. */
export const HOST_CAPABILITIES = [
  "ui",
  "trust",
  "resolvePreviews",
  "approvals",
  "budgets",
  "mcpAuth",
  "fs",
  "terminal",
  "asyncWork",
] as const;
export type HostCapability = (typeof HOST_CAPABILITIES)[number];

/** How the clients offer a kind of question to the programs that use them. */
export interface QuestionHandler {
  /** Of the method that installs a handler, and of the option. In Python, `onApproval` is `on_approval`. */
  method: string;
  /** Of the types: `Approval` gives `ApprovalHandler` and `ApprovalAnswer`. */
  name: string;
  /** Of the method. */
  summary: string;
  /** What a handler returns, for people. */
  returns?: string;
  /** A handler has to return an answer. Otherwise it may also return nothing. */
  isAnswerRequired?: true;
  /** The field that a returned string fills. An object has the fields of the answer. */
  text?: string;
  /** The fields of the answer if the handler returns true, or false. Without them, `none` applies. */
  yes?: object;
  no?: object;
  /** The fields of the answer without a handler, and if the handler returns nothing. */
  none: object;
  /** The question is a request in place of a tool: the model receives what a handler throws. */
  reportsErrors?: true;
}

/** One kind of wait for the host. */
export interface QuestionRow {
  /** Without frames, an event asks and a command answers. */
  request?: keyof typeof questionFrames;
  answer?: keyof typeof answerFrames;
  /** Reports progress and restarts the deadline. */
  update?: keyof typeof answerFrames;
  /** The frame that withdraws the question, and the prefix of its id. A frame of the type of the request has the method `cancel`. */
  cancel?: {
    type: keyof typeof questionFrames;
    idPrefix: string;
    /** The reason in the frame, by how the wait ended. Without it, the frame has none. */
    reasons?: { abort: string; timeout: string };
  };
  /** The frame with which the worker itself reports the answer to every host, under the id of the question. */
  resolved?: keyof typeof questionFrames;
  /** The methods of the request that ask; the others inform. Without a list, every request asks, except the method `cancel`. */
  methods?: readonly string[];
  /** What a host must declare to be asked. */
  capability?: HostCapability;
  /** The capability or tool belongs to one connection; no other host of the session is asked. */
  isExclusive?: true;
  /** Hosts see the wait in `get_pending` without the capability as well. */
  isListedToAll?: true;
  /** Of the ids that the engine gives its questions. */
  idPrefix?: string;
  /** The setting with the time to answer. */
  timeoutSetting: string;
  /** What happens without an answer, for people. Without it, the asker says. */
  default?: string;
  /** For kinds with a capability and frames. */
  handler?: QuestionHandler;
}

const END = { abort: "abort", timeout: "timeout" };

/** Each kind of wait for the host. The engine, gateway and clients derive from these rows how to ask, route and withdraw. */
export const QUESTIONS = {
  dialog: {
    request: "extension_ui_request",
    methods: DIALOG_METHODS,
    answer: "extension_ui_response",
    cancel: { type: "extension_ui_request", idPrefix: "ui" },
    capability: "ui",
    idPrefix: "ui",
    timeoutSetting: "host.dialogTimeoutMs",
    handler: {
      method: "onUiRequest",
      name: "Ui",
      summary:
        "Handles dialogs of extensions; the return value is the answer. Without a handler every dialog is cancelled.",
      returns: "Nothing cancels the dialog. Requests that only inform ignore the return value.",
      text: "value",
      yes: { confirmed: true },
      no: { confirmed: false },
      none: { cancelled: true },
    },
  },
  host_tool: {
    request: "host_tool_call",
    answer: "host_tool_result",
    update: "host_tool_update",
    cancel: { type: "host_tool_cancel", idPrefix: "host_cancel" },
    isExclusive: true,
    idPrefix: "host",
    timeoutSetting: "host.toolTimeoutMs",
  },
  /** `pending_action_added` asks, `resolve_pending_action` answers; its id is the `actionId`. */
  preview: {
    capability: "resolvePreviews",
    isListedToAll: true,
    timeoutSetting: "resolve.timeoutMs",
    default: "the change is discarded",
  },
  trust: {
    request: "trust_request",
    answer: "trust_response",
    resolved: "trust_resolved",
    capability: "trust",
    idPrefix: "trust",
    timeoutSetting: "trust.timeoutMs",
    default: "not trusted",
    handler: {
      method: "onTrustRequest",
      name: "Trust",
      summary: "Decides whether project code may run; the return value is the answer.",
      returns: "Only an explicit yes grants trust.",
      isAnswerRequired: true,
      yes: { trusted: true },
      none: { trusted: false },
    },
  },
  approval: {
    request: "approval_request",
    answer: "approval_response",
    cancel: { type: "approval_cancel", idPrefix: "approval_cancel", reasons: END },
    capability: "approvals",
    idPrefix: "approval",
    timeoutSetting: "permissions.timeoutMs",
    default: "deny",
    handler: {
      method: "onApproval",
      name: "Approval",
      summary:
        "Decides whether a tool call may run; the return value is the answer. Without a handler the server denies the call.",
      returns: "Only an explicit permission allows the call.",
      text: "decision",
      none: { decision: "deny" },
    },
  },
  /** `budget_reached` asks, `raise_budget` answers. */
  budget: {
    capability: "budgets",
    idPrefix: "budget",
    timeoutSetting: "budget.timeoutMs",
    default: "stop",
  },
  host_fs: {
    request: "host_fs_request",
    answer: "host_fs_result",
    cancel: { type: "host_fs_request", idPrefix: "fs_cancel" },
    capability: "fs",
    isExclusive: true,
    idPrefix: "fs",
    timeoutSetting: "host.toolTimeoutMs",
    default: "the call fails",
    handler: {
      method: "onFileRequest",
      name: "File",
      summary: "Reads and writes files that are open in the host's editor.",
      returns:
        "For `read`, the file's text; for `write`, true. With nothing or false the file is not open here, and the server uses the disk.",
      text: "content",
      yes: {},
      none: { notOpen: true },
      reportsErrors: true,
    },
  },
  host_terminal: {
    request: "host_terminal_request",
    answer: "host_terminal_result",
    cancel: { type: "host_terminal_request", idPrefix: "terminal_cancel" },
    capability: "terminal",
    isExclusive: true,
    idPrefix: "terminal",
    timeoutSetting: "host.toolTimeoutMs",
    default: "the command is ended, and the call fails",
    handler: {
      method: "onTerminalRequest",
      name: "Terminal",
      summary: "Runs the model's commands in a terminal of the host.",
      isAnswerRequired: true,
      none: { error: "The host has no terminal" },
      reportsErrors: true,
    },
  },
  host_uri: {
    request: "host_uri_request",
    answer: "host_uri_result",
    cancel: { type: "host_uri_cancel", idPrefix: "uri_cancel" },
    isExclusive: true,
    idPrefix: "uri",
    timeoutSetting: "host.toolTimeoutMs",
    default: "the call fails",
  },
  mcp_auth: {
    request: "mcp_auth_request",
    answer: "mcp_auth_response",
    // Unless its time is up, the browser was redirected back without the help of a host.
    cancel: { type: "mcp_auth_cancel", idPrefix: "login_cancel", reasons: { ...END, abort: "answered" } },
    capability: "mcpAuth",
    idPrefix: "login",
    timeoutSetting: "mcp.loginTimeoutMs",
    default: "no login",
    handler: {
      method: "onMcpAuth",
      name: "Login",
      summary:
        "Handles a login at an MCP server: show the URL to the user and return the URL that the browser is redirected to.",
      returns: "The URL that the browser was redirected to; nothing cancels the login.",
      text: "redirectUrl",
      none: { cancelled: true },
    },
  },
} as const satisfies Record<string, QuestionRow>;
export type QuestionKind = keyof typeof QUESTIONS;
export const QUESTION_KINDS = Object.keys(QUESTIONS) as QuestionKind[];
