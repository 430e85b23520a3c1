import type { Timers } from "@pintle/foundation";
import type { AnswerType, HostMistakes, PendingWait, QuestionFrame } from "@pintle/wire";
import type { Environment } from "../../../config/keys/environment.ts";
import type { Settings } from "../../../config/settings/settings.ts";
import type { ExtensionUi } from "../../../extensibility/ui/ui.ts";
import type { LoginRequest } from "../../../mcp/login/login-request.ts";
import type { Approver } from "../../../permissions/gate.ts";
import type { BudgetWaiter } from "../../../session/budgets/budget.ts";
import type { HostWorkplace } from "../../../session/tools/workplace-types.ts";
import type { RunTrace } from "../../../traces/run-trace.ts";
import { answerMistakes } from "./answer-mistakes.ts";
import type { ApprovalDialog } from "./approval-dialogs.ts";
import { createApprover } from "./approval-question.ts";
import { createBudgetWaiter } from "./budget-question.ts";
import { createExtensionUi, emitsTitle } from "./extension-ui.ts";
import { HostCapabilities } from "./host-capabilities.ts";
import { createHostFiles } from "./host-files.ts";
import { createHostTerminal } from "./host-terminal.ts";
import { HostTools } from "./host-tools.ts";
import { acceptedSchemes, createHostUris, type HostUriScheme } from "./host-uris.ts";
import { askForLogin } from "./login-question.ts";
import { PendingCalls } from "./pending-calls.ts";
import type { HostFields, WaitKind } from "./pending-wait.ts";
import type { NewId } from "./question-ids.ts";
import { askForTrust, type TrustDecision, type TrustSubject } from "./trust-question.ts";

export interface HostChannelParts {
  send(frame: QuestionFrame): void;
  settings: Pick<Settings, "get">;
  env: Environment;
  /** `--no-ui` was given. */
  isUiForbidden?: boolean;
  /** Without being asked to by the environment. */
  sendsTitle?: boolean;
  /** Hosts that show dialogs, but know nothing of approvals, get a dialog instead. */
  approvalDialog?: ApprovalDialog | undefined;
  /** The host may resolve addresses of its own schemes. */
  resolvesUris?: boolean | undefined;
  /** Where mistakes of the host are reported. */
  mistakes: Pick<HostMistakes, "report">;
  timers?: Timers;
  now?(): number;
  newId?: NewId;
  trace?: RunTrace | undefined;
}

/** All we may ask of the host, over one table of what is waiting for it. */
export class HostChannel {
  readonly pending: PendingCalls;
  readonly capabilities: HostCapabilities;
  readonly tools: HostTools;
  readonly #parts: HostChannelParts;
  readonly #emitsTitle: boolean;
  #schemes: readonly HostUriScheme[] = [];
  readonly #answers: Record<AnswerType, { kind: WaitKind; take?: (frame: HostFields) => void }>;

  constructor(parts: HostChannelParts) {
    const { send, settings } = parts;
    this.#parts = parts;
    this.#emitsTitle = parts.sendsTitle || emitsTitle(parts.env);
    const { trace } = parts;
    this.pending = new PendingCalls({ ...parts, onWait: trace && ((wait) => trace.onWait(wait)) });
    this.capabilities = new HostCapabilities(parts);
    this.tools = new HostTools({
      pending: this.pending,
      send,
      timeoutMs: () => settings.get("host.toolTimeoutMs"),
      traceOf: trace && ((toolCallId) => trace.headersOf(toolCallId)),
    });
    this.#answers = {
      extension_ui_response: { kind: "dialog" },
      host_tool_update: { kind: "host_tool", take: (frame) => this.tools.onUpdate(frame) },
      host_tool_result: { kind: "host_tool", take: (frame) => this.tools.onResult(frame) },
      trust_response: { kind: "trust" },
      host_fs_result: { kind: "host_fs" },
      host_uri_result: { kind: "host_uri" },
      host_terminal_result: { kind: "host_terminal" },
      mcp_auth_response: { kind: "mcp_auth" },
      approval_response: { kind: "approval" },
    };
  }

  /**
   * Returns false if the frame is a command. Answers are read leniently: one with mistakes ends its question all the same, with
   * the default where it says nothing.
   */
  onAnswer(type: string, frame: HostFields): boolean {
    if (!this.#isAnswer(type)) return false;
    const { kind, take = (answer: HostFields) => this.pending.answer(kind as "dialog", answer.id, answer) } =
      this.#answers[type];
    for (const mistake of answerMistakes(type, frame, kind, this.pending)) this.#parts.mistakes.report(mistake);
    take(frame);
    return true;
  }

  #isAnswer(type: string): type is AnswerType {
    return Object.hasOwn(this.#answers, type);
  }

  /** For extensions and the `ask` tool. `scope` is the run or command that the dialogs belong to. */
  ui(scope?: AbortSignal): ExtensionUi {
    const { pending, capabilities } = this;
    const { send, settings } = this.#parts;
    const timeoutMs = () => settings.get("host.dialogTimeoutMs");
    return createExtensionUi({ pending, send, capabilities, timeoutMs, emitsTitle: this.#emitsTitle }, scope);
  }

  askForTrust(subject: TrustSubject, signal?: AbortSignal): Promise<TrustDecision | undefined> {
    const { pending, capabilities } = this;
    const { send, settings } = this.#parts;
    return askForTrust(
      { pending, send, capabilities, timeoutMs: () => settings.get("trust.timeoutMs") },
      subject,
      signal,
    );
  }

  /** A person is to log in at an MCP server. */
  askForLogin(request: LoginRequest): Promise<string | null | undefined> {
    const { pending, capabilities } = this;
    const { send, settings, now = Date.now } = this.#parts;
    const timeoutMs = () => settings.get("mcp.loginTimeoutMs");
    return askForLogin({ pending, send, capabilities, timeoutMs, now }, request);
  }

  /** In its own words, or by a dialog. */
  get answersApprovals(): boolean {
    const { hasAnsweredApprovals, hasUi } = this.capabilities;
    return hasAnsweredApprovals || (this.#parts.approvalDialog !== undefined && hasUi);
  }

  /** Who decides on tool calls that have to be asked about. */
  approver(): Approver {
    const { pending, capabilities } = this;
    const { send, settings, approvalDialog, now = Date.now } = this.#parts;
    return createApprover({
      pending,
      send,
      capabilities,
      timeoutMs: () => settings.get("permissions.timeoutMs"),
      now,
      ...(approvalDialog && {
        askByDialog: (request, reason, signal) => approvalDialog(this.ui(signal), request, reason),
      }),
    });
  }

  /** Who may raise a budget that is used up. */
  budgetWaiter(): BudgetWaiter {
    const { pending, capabilities } = this;
    const { settings } = this.#parts;
    return createBudgetWaiter({ pending, capabilities, timeoutMs: () => settings.get("budget.timeoutMs") });
  }

  /** Which addresses the host resolves from now on. Returns the schemes that are accepted. */
  setUriSchemes(schemes: readonly HostUriScheme[]): string[] {
    this.#schemes = this.#parts.resolvesUris ? acceptedSchemes(schemes) : [];
    return this.#schemes.map(({ scheme }) => scheme);
  }

  /** What of the host's machine the tools work with; undefined: this one. */
  workplace(): HostWorkplace {
    const { pending, capabilities } = this;
    const { send, settings } = this.#parts;
    const parts = { pending, send, timeoutMs: () => settings.get("host.toolTimeoutMs") };
    const { fs, terminal } = capabilities.current;
    return {
      ...(fs && { files: createHostFiles(parts) }),
      ...(terminal && { terminal: createHostTerminal(parts) }),
      ...(this.#schemes.length > 0 && { uris: createHostUris(parts, this.#schemes) }),
    };
  }

  /** For `get_pending`. A host that did not ask for such questions does not know the word. */
  list(): PendingWait[] {
    const { approvals, budgets, mcpAuth = false } = this.capabilities.current;
    const isKnown: Partial<Record<PendingWait["kind"], boolean>> = {
      approval: approvals,
      budget: budgets,
      mcp_auth: mcpAuth,
    };
    return this.pending.list().filter(({ kind }) => isKnown[kind] ?? true);
  }

  /** The host's input has ended: what waits gets its default, and no question is sent any more. */
  hostGone(): void {
    this.pending.hostGone();
  }
}
