import type { TrustFrame, TrustItem } from "@pintle/wire";
import type { AskHost } from "../../../session/host-question.ts";

export interface TrustQuestionParts {
  ask: AskHost;
  send(frame: TrustFrame): void;
}

/** The exact content that the host is asked to trust. */
export interface TrustSubject {
  project: string;
  digest: string;
  items: TrustItem[];
}

export interface TrustDecision {
  isTrusted: boolean;
  /** Whether to store the decision, including a denial, for later starts. */
  isRemembered: boolean;
}

/** Returns undefined without asking if this host never declared that it answers such questions. */
export async function askForTrust(
  { ask, send }: TrustQuestionParts,
  { project, digest, items }: TrustSubject,
  signal?: AbortSignal,
): Promise<TrustDecision | undefined> {
  const end = await ask("trust", {
    fields: ({ deadlineMs }) => ({ project, digest, timeout: deadlineMs, items }),
    about: { title: project },
    signals: [signal],
  });
  if (end.by === "nobody") return undefined;
  const answer = end.by === "host" ? end.answer : undefined;
  const isTrusted = answer?.trusted === true;
  if (end.id !== undefined) send({ type: "trust_resolved", id: end.id, trusted: isTrusted, by: end.by });
  return { isTrusted, isRemembered: answer?.remember === true };
}
