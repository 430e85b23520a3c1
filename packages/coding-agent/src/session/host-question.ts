import type { PendingWait, QUESTIONS } from "@pintle/wire";

/** A frame from the host, unchecked. */
export type HostFields = Readonly<Record<string, unknown>>;

/** The kinds that the host is asked in a frame; it answers in a frame as well. */
export type FrameKind = {
  [K in keyof typeof QUESTIONS]: (typeof QUESTIONS)[K] extends { request: string } ? K : never;
}[keyof typeof QUESTIONS];

/** What a question is about, for users. */
export type AboutQuestion = Pick<PendingWait, "method" | "title" | "toolName" | "toolCallId" | "label" | "subagent">;

export interface HostQuestion {
  /** The fields of the request after its type and id. */
  fields(times: { deadlineMs: number; expiresAt: number }): object;
  about: AboutQuestion;
  /** Each of them withdraws the question. */
  signals: readonly (AbortSignal | undefined)[];
  /** Instead of the time in the settings. */
  timeoutMs?: number | undefined;
  /** What happens without an answer, if the kind has no default. */
  default?: string;
  onUpdate?(update: unknown): void;
}

/**
 * How a question ended, and its id if the host was asked. Only an answer from the host counts as one. The last kind of end means
 * that no host has declared that it answers such questions.
 */
export type Asked = { id?: string } & (
  | { by: "host"; answer: HostFields }
  | { by: "timeout" | "abort" | "disconnect" | "nobody" }
);

/** Asks the host as the row of the kind in packages/wire says, and withdraws the question if it ends without an answer. */
export type AskHost = (kind: FrameKind, question: HostQuestion) => Promise<Asked>;
