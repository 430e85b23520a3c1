import type {
  ApprovalAnswer,
  ApprovalRequest,
  BudgetAnswer,
  BudgetReachedEvent,
  ExtensionUiRequest,
  McpAuthRequest,
  PauseReason,
  TrustAnswer,
  TrustRequest,
  UiAnswer,
} from "@pintle/client/core";
import type { PreviewQuestion } from "./preview-question.ts";

export type Dialog = Extract<ExtensionUiRequest, { method: "select" | "confirm" | "input" | "editor" }>;

/** Questions and their answers, by kind. */
export interface Kinds {
  approval: { asked: ApprovalRequest; answer: ApprovalAnswer };
  /** Applying is done by the question itself. */
  preview: { asked: PreviewQuestion; answer: "discard" | undefined };
  trust: { asked: TrustRequest; answer: TrustAnswer };
  dialog: { asked: Dialog; answer: UiAnswer };
  budget: { asked: BudgetReachedEvent; answer: BudgetAnswer | "end_run" };
  /** The URL to which the browser was redirected; undefined if the user does not log in. */
  login: { asked: McpAuthRequest; answer: string | undefined };
}
export type Kind = keyof Kinds;

export interface OpenQuestion<K extends Kind> {
  kind: K;
  id: string;
  asked: Kinds[K]["asked"];
  /** Milliseconds since the epoch; undefined until the server has reported it. */
  deadline: number | undefined;
  /** Describes what happens then. */
  byDefault: string;
  /** The first answer wins. */
  answer(answer: Kinds[K]["answer"]): void;
}
export type Question = { [K in Kind]: OpenQuestion<K> }[Kind];

/** Why a run waits although its budget is not exhausted. */
export const PAUSES: Readonly<Record<PauseReason, string>> = {
  no_progress: "The model repeats the same calls",
  no_input: "The run has continued for a long time without a message",
};

/** What the server does without an answer, and how long it waits according to the frame. */
export const FACTS: {
  readonly [K in Kind]: {
    id(asked: Kinds[K]["asked"]): string;
    title(asked: Kinds[K]["asked"]): string;
    deadline(asked: Kinds[K]["asked"], now: number): number | undefined;
    byDefault: string;
  };
} = {
  approval: {
    id: ({ id }) => id,
    title: ({ request }) => request.title,
    deadline: ({ expiresAt }) => expiresAt,
    byDefault: "denied",
  },
  preview: {
    id: ({ preview }) => preview.actionId,
    title: ({ preview }) => preview.label,
    deadline: ({ preview }) => preview.deadline,
    byDefault: "the change is discarded",
  },
  trust: {
    id: ({ id }) => id,
    title: ({ project }) => `Trust ${project}?`,
    deadline: ({ timeout }, now) => now + timeout,
    byDefault: "not trusted",
  },
  dialog: {
    id: ({ id }) => id,
    title: ({ title }) => title,
    deadline: (asked, now) => ("timeout" in asked && asked.timeout !== undefined ? now + asked.timeout : undefined),
    byDefault: "no answer",
  },
  budget: {
    id: () => "budget",
    title: ({ scope, reason }) => (reason === undefined ? `The budget of this ${scope} is used up` : PAUSES[reason]),
    deadline: () => undefined,
    byDefault: "the run ends",
  },
  login: {
    id: ({ id }) => id,
    title: ({ server }) => `Log in at ${server}`,
    deadline: ({ expiresAt }) => expiresAt,
    byDefault: "the server is not used",
  },
};

export function titleOf(question: Question): string {
  const { title } = FACTS[question.kind] as { title(asked: unknown): string };
  return title(question.asked);
}
