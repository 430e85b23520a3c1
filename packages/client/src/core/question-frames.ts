import { QUESTIONS, type QuestionRow } from "../protocol.ts";
import type { Frame } from "./transport.ts";

const ROWS: readonly QuestionRow[] = Object.values(QUESTIONS);

/** The kinds that handlers answer. Calls of host tools are answered by the tools. */
export type HandledKind = {
  [K in keyof typeof QUESTIONS]: (typeof QUESTIONS)[K] extends { capability: string } ? K : never;
}[keyof typeof QUESTIONS];

/** Requests, and the frames that withdraw them. */
export const QUESTION_TYPES: ReadonlySet<string> = new Set(
  ROWS.flatMap(({ request, cancel = request }) => [request, cancel]),
);
export const ANSWER_TYPES: ReadonlySet<string> = new Set(
  ROWS.flatMap(({ answer, update = answer }) => [answer, update]),
);

const HANDLED: ReadonlyMap<string, HandledKind> = new Map(
  Object.entries(QUESTIONS).flatMap(([kind, row]: [string, QuestionRow]) =>
    row.capability === undefined ? [] : [[row.request, kind as HandledKind] as const],
  ),
);
const CANCELS: ReadonlySet<string> = new Set(
  ROWS.flatMap(({ capability, cancel }) => (capability !== undefined && cancel) || []),
);

/** Returns the kind of question whose request has this type, if a handler answers it. */
export function handledKind({ type }: { type: string }): HandledKind | undefined {
  return HANDLED.get(type);
}

/** Returns false for a request that only informs, and for one that withdraws another. */
export function expectsAnswer(kind: HandledKind, { method }: Frame): boolean {
  const { methods }: QuestionRow = QUESTIONS[kind];
  return methods?.includes(String(method)) ?? method !== "cancel";
}

/** Returns the id of the question that a frame withdraws. */
export function withdrawnId({ type, method, targetId }: Frame): string | undefined {
  const isCancel = CANCELS.has(type) && (method === undefined || method === "cancel");
  return isCancel && typeof targetId === "string" ? targetId : undefined;
}
