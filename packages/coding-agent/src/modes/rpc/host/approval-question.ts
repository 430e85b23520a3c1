import { isRecord } from "@pintle/ai";
import { APPROVAL_DECISIONS, type ApprovalDecision, type PermissionRule } from "@pintle/wire";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../../permissions/authorizer.ts";
import type { AskHost, HostFields } from "../../../session/host-question.ts";
import type { HostCapabilities } from "./host-capabilities.ts";

export interface ApprovalParts {
  ask: AskHost;
  capabilities: HostCapabilities;
  /** Dialog for hosts that show dialogs but do not support approvals. Without it, they are not asked. */
  askByDialog?(question: ApprovalQuestion, signal: AbortSignal): Promise<boolean>;
}

/** Asks the host about tool calls. Anything except explicit permission is a denial. */
export function createApprover(parts: ApprovalParts): Approver {
  const { ask } = parts;
  return async (question, signal) => {
    const { request, reason, suggestedRules, subagent } = question;
    const end = await ask("approval", {
      fields: ({ expiresAt }) => ({
        request,
        reason,
        suggestedRules,
        expiresAt,
        default: "deny",
        ...(subagent && { subagent }),
      }),
      about: {
        title: request.title,
        toolName: request.tool,
        toolCallId: request.toolCallId,
        ...(subagent && { subagent }),
      },
      signals: [signal],
    });
    if (end.by === "nobody") return askByDialog(parts, question, signal);
    return end.by === "host" ? readAnswer(end.answer, suggestedRules) : { decision: "deny", by: end.by };
  };
}

async function askByDialog(
  { askByDialog: ask, capabilities }: ApprovalParts,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  if (!ask || !capabilities.hasUi) return { decision: "deny", by: "nobody" };
  if (await ask(question, signal)) return { decision: "allow_once", by: "host" };
  return { decision: "deny", by: signal.aborted ? "abort" : "host" };
}

/** Keeps only rules that were suggested. */
function readAnswer(answer: HostFields, suggested: readonly PermissionRule[]): ApprovalAnswer {
  const named = Array.isArray(answer.rules) ? answer.rules.filter(isRecord) : [];
  const rules = suggested.filter((rule) => named.some((other) => isSameRule(rule, other)));
  const note = typeof answer.note === "string" && answer.note !== "" ? { note: answer.note.slice(0, MAX_NOTE) } : {};
  return { decision: readDecision(answer.decision), by: "host", rules, ...note };
}

const MAX_NOTE = 2000;

function readDecision(decision: unknown): ApprovalDecision {
  return APPROVAL_DECISIONS.find((known) => known === decision) ?? "deny";
}

function isSameRule(rule: PermissionRule, other: Readonly<Record<string, unknown>>): boolean {
  const fields = new Set([...Object.keys(rule), ...Object.keys(other)]);
  return [...fields].every((field) => Reflect.get(rule, field) === other[field]);
}
