import { type AnswerType, answerWithoutQuestion, checkAnswer, type HostMistake } from "@pintle/wire";
import type { HostFields } from "../../../session/host-question.ts";
import { isToolResult } from "./host-tool-result.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { WaitKind } from "./pending-wait.ts";
import { unknownFieldText } from "./unknown-field.ts";

/** The field of a tool's answer that contains its result. */
const RESULT_FIELDS: Partial<Record<AnswerType, string>> = {
  host_tool_result: "result",
  host_tool_update: "partialResult",
};

/** Returns the mistakes in an answer: nothing waits for it, or its fields do not match its type. */
export function answerMistakes(
  type: AnswerType,
  fields: HostFields,
  kind: WaitKind,
  pending: Pick<PendingCalls, "stateOf" | "methodOf">,
): HostMistake[] {
  const { id } = fields;
  if (typeof id !== "string") {
    const requestId = typeof id === "number" ? { requestId: id } : {};
    const isReported = id !== undefined && id !== null && typeof id !== "number";
    return isReported ? [] : [{ code: "invalid_id", reason: `${type} must have the id of its question`, ...requestId }];
  }
  const state = pending.stateOf(kind, id);
  if (state !== "open") return [answerWithoutQuestion(type, id, state)];
  const { fault, unknown } = checkAnswer(type, fields);
  const wrong = fault ?? blockFault(type, fields) ?? dialogFault(fields, pending.methodOf(id));
  const faults =
    wrong === undefined ? [] : [{ code: "invalid_answer" as const, reason: `${type} for ${id}: ${wrong}` }];
  const fieldFaults = unknown.map((field) => ({
    code: "unknown_field" as const,
    reason: unknownFieldText(type, field, []),
  }));
  return [...faults, ...fieldFaults].map((mistake) => ({ ...mistake, requestId: id }));
}

function blockFault(type: AnswerType, fields: HostFields): string | undefined {
  const name = RESULT_FIELDS[type];
  if (name === undefined || isToolResult(fields[name])) return undefined;
  return `${name}.content must be an array of text and image blocks`;
}

/** Returns the mistakes in the answer to a dialog, which must have the field for the dialog's kind. */
function dialogFault({ cancelled, confirmed, value }: HostFields, method: string | undefined): string | undefined {
  if (method === undefined || cancelled === true) return undefined;
  if (method === "confirm") return confirmed === undefined ? "confirmed is missing" : undefined;
  return value === undefined ? "value is missing" : undefined;
}
