import type { ExtensionUiRequest, GatewaySession, HandlerOptions, PauseReason } from "@pintle/client/core";
import type { KINDS } from "./kinds.ts";
import type { QuestionView } from "./question-parts.ts";

export type Dialog = Extract<ExtensionUiRequest, { method: "select" | "confirm" | "input" | "editor" }>;

/** What the page uses of a session that asks. */
export type AskingSession = Pick<
  GatewaySession,
  "abort" | "getPending" | "getPendingFile" | "resolvePendingAction" | keyof HandlerOptions
>;

/** A kind of question: how the page is asked, and what it shows. Each is declared with its view. */
export interface QuestionKind<Asked, Answer> {
  /** The client's method that installs the handler. */
  method: keyof HandlerOptions;
  name: string;
  title(asked: Asked): string;
  /** Default: the id of the request. */
  id?(asked: Asked): string;
  /** How long the frame itself says that the server waits. */
  deadline(asked: Asked, now: number): number | undefined;
  /** What the server does without an answer, in words. */
  byDefault: string;
  view(question: OpenQuestionOf<Asked, Answer>): QuestionView;
  /** Returns false for a request that only informs. */
  isQuestion?(request: Asked): boolean;
  /** Returns what to show, and what withdraws it. Default: the request and its signal. */
  open?(request: unknown, session: AskingSession, signal: AbortSignal): { asked: Asked; withdrawn: AbortSignal };
  /** Carries out an answer that the client cannot send, and returns what it can. */
  toAnswer?(answer: Answer | undefined, session: AskingSession): unknown;
}

interface OpenQuestionOf<Asked, Answer> {
  id: string;
  asked: Asked;
  /** Milliseconds since the epoch; undefined until the server has reported it. */
  deadline: number | undefined;
  /** What happens then, in words. */
  byDefault: string;
  /** Answers the question. The first answer wins. */
  answer(answer: Answer): void;
}

export type Kind = keyof typeof KINDS;
/** What is asked and answered, by kind. */
export type Kinds = {
  [K in Kind]: (typeof KINDS)[K] extends QuestionKind<infer Asked, infer Answer>
    ? { asked: Asked; answer: Answer }
    : never;
};

export interface OpenQuestion<K extends Kind> extends OpenQuestionOf<Kinds[K]["asked"], Kinds[K]["answer"]> {
  kind: K;
}
export type Question = { [K in Kind]: OpenQuestion<K> }[Kind];

/** Why a run waits although its budget is not exhausted. */
export const PAUSES: Readonly<Record<PauseReason, string>> = {
  no_progress: "The model repeats the same calls",
  no_input: "The run has worked for long without a message",
};
