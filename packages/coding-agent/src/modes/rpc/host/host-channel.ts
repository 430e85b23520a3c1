import type { Timers } from "@pintle/foundation";
import {
  type AnswerType,
  type HostMistakes,
  type PendingWait,
  QUESTIONS,
  type QuestionFrame,
  type QuestionRow,
} from "@pintle/wire";
import type { Environment } from "../../../config/keys/environment.ts";
import type { Settings } from "../../../config/settings/settings.ts";
import type { ExtensionUi } from "../../../extensibility/ui/ui.ts";
import type { Approver } from "../../../permissions/authorizer.ts";
import type { BudgetWaiter } from "../../../session/budgets/budget.ts";
import type { AskHost, FrameKind, HostFields } from "../../../session/host-question.ts";
import type { HostWorkplace } from "../../../session/tools/workplace-types.ts";
import type { RunTrace } from "../../../traces/run-trace.ts";
import { answerMistakes } from "./answer-mistakes.ts";
import type { ApprovalDialog } from "./approval-dialogs.ts";
import { createApprover } from "./approval-question.ts";
import { createAskHost } from "./ask-host.ts";
import { createBudgetWaiter } from "./budget-question.ts";
import { createExtensionUi, emitsTitle } from "./extension-ui.ts";
import { HostCapabilities } from "./host-capabilities.ts";
import { createHostFiles } from "./host-files.ts";
import { createHostTerminal } from "./host-terminal.ts";
import { HostTools } from "./host-tools.ts";
import { acceptedSchemes, createHostUris, type HostUriScheme } from "./host-uris.ts";
import { PendingCalls } from "./pending-calls.ts";
import type { NewId } from "./question-ids.ts";
import { askForTrust, type TrustDecision, type TrustSubject } from "./trust-question.ts";

export interface HostChannelParts {
  send(frame: QuestionFrame): void;
  settings: Pick<Settings, "get">;
  env: Environment;
  /** Whether `--no-ui` was given. */
  isUiForbidden?: boolean;
  /** Whether to send titles even if the environment does not request them. */
  sendsTitle?: boolean;
  /** Dialog for approvals on hosts that show dialogs but do not support approvals. */
  approvalDialog?: ApprovalDialog | undefined;
  /** Whether the host may resolve URIs with its own schemes. */
  resolvesUris?: boolean | undefined;
  /** Reports mistakes of the host. */
  mistakes: Pick<HostMistakes, "report">;
  timers?: Timers;
  now?(): number;
  newId?: NewId;
  trace?: RunTrace | undefined;
}

/** By the type of an answer, and of an update: the kind of its question. */
const ANSWERS: ReadonlyMap<string, FrameKind> = new Map(
  Object.entries(QUESTIONS).flatMap(([kind, row]: [string, QuestionRow]) =>
    [row.answer, row.update].flatMap((type) => (type === undefined ? [] : [[type, kind as FrameKind] as const])),
  ),
);

/** Everything that pintle may ask the host. One table holds what waits for it. */
export class HostChannel {
  readonly pending: PendingCalls;
  readonly capabilities: HostCapabilities;
  readonly tools: HostTools;
  readonly #parts: HostChannelParts;
  readonly #emitsTitle: boolean;
  #schemes: readonly HostUriScheme[] = [];
  /** Asks the host if it has declared that it answers questions of this kind. */
  readonly ask: AskHost;

  constructor(parts: HostChannelParts) {
    this.#parts = parts;
    this.#emitsTitle = parts.sendsTitle || emitsTitle(parts.env);
    const { trace } = parts;
    this.pending = new PendingCalls({ ...parts, onWait: trace && ((wait) => trace.onWait(wait)) });
    this.capabilities = new HostCapabilities(parts);
    const ask = createAskHost({ ...parts, pending: this.pending });
    this.ask = async (kind, question) => (this.#isDeclared(kind) ? ask(kind, question) : { by: "nobody" });
    this.tools = new HostTools({
      ask: this.ask,
      pending: this.pending,
      timeoutMs: () => parts.settings.get("host.toolTimeoutMs"),
      traceOf: trace && ((toolCallId) => trace.headersOf(toolCallId)),
    });
  }

  /**
   * Returns false if the frame is a command. Answers are read leniently: one with mistakes still ends its question, with the
   * default where it says nothing.
   */
  onAnswer(type: string, frame: HostFields): boolean {
    const kind = ANSWERS.get(type);
    if (kind === undefined) return false;
    const answer = type as AnswerType; // a key of the table
    for (const mistake of answerMistakes(answer, frame, kind, this.pending)) this.#parts.mistakes.report(mistake);
    if (QUESTIONS[kind].answer === answer) this.pending.answer(kind, frame.id, frame);
    else this.tools.onUpdate(frame);
    return true;
  }

  /** Returns dialogs for extensions and the `ask` tool. `scope` is the run or command that they belong to. */
  ui(scope?: AbortSignal): ExtensionUi {
    const { pending, capabilities } = this;
    const { send } = this.#parts;
    return createExtensionUi({ ask: this.ask, pending, send, capabilities, emitsTitle: this.#emitsTitle }, scope);
  }

  askForTrust(subject: TrustSubject, signal?: AbortSignal): Promise<TrustDecision | undefined> {
    return askForTrust({ ask: this.ask, send: this.#parts.send }, subject, signal);
  }

  /** Asks with `approval_request`, or in a dialog. */
  get answersApprovals(): boolean {
    const { hasAnsweredApprovals, hasUi } = this.capabilities;
    return hasAnsweredApprovals || (this.#parts.approvalDialog !== undefined && hasUi);
  }

  /** Returns who decides on tool calls that need approval. */
  approver(): Approver {
    const { approvalDialog } = this.#parts;
    return createApprover({
      ask: this.ask,
      capabilities: this.capabilities,
      ...(approvalDialog && {
        askByDialog: (question, signal) => approvalDialog(this.ui(signal), question),
      }),
    });
  }

  /** Returns who may raise an exhausted budget. */
  budgetWaiter(): BudgetWaiter {
    const { pending, capabilities } = this;
    const { settings } = this.#parts;
    return createBudgetWaiter({
      pending,
      capabilities,
      timeoutMs: () => settings.get(QUESTIONS.budget.timeoutSetting),
    });
  }

  /** Sets the URI schemes that the host resolves from now on. Returns those that are accepted. */
  setUriSchemes(schemes: readonly HostUriScheme[]): string[] {
    this.#schemes = this.#parts.resolvesUris ? acceptedSchemes(schemes) : [];
    return this.#schemes.map(({ scheme }) => scheme);
  }

  /** Returns the host's files and terminal for the tools, or undefined to use this machine's. */
  workplace(): HostWorkplace {
    const { fs, terminal } = this.capabilities.current;
    return {
      ...(fs && { files: createHostFiles(this.ask) }),
      ...(terminal && { terminal: createHostTerminal(this.ask) }),
      ...(this.#schemes.length > 0 && { uris: createHostUris(this.ask, this.#schemes) }),
    };
  }

  /** Returns what `get_pending` lists: a host does not know the kinds that it never declared. */
  list(): PendingWait[] {
    return this.pending.list().filter(({ kind }) => this.#isDeclared(kind));
  }

  /** Must be called when the host's input has ended. Pending questions get their default, and no more are sent. */
  hostGone(): void {
    this.pending.hostGone();
  }

  #isDeclared(kind: PendingWait["kind"]): boolean {
    const { capability }: QuestionRow = QUESTIONS[kind];
    return capability === undefined || this.capabilities.current[capability] === true;
  }
}
