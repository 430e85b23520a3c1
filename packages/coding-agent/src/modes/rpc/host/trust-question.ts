import type { TrustFrame, TrustItem } from "@pintle/wire";
import type { AskHost } from "./ask-host.ts";
import type { HostCapabilities } from "./host-capabilities.ts";

export interface TrustQuestionParts {
  ask: AskHost;
  send(frame: TrustFrame): void;
  capabilities: HostCapabilities;
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
  { ask, send, capabilities }: TrustQuestionParts,
  { project, digest, items }: TrustSubject,
  signal?: AbortSignal,
): Promise<TrustDecision | undefined> {
  if (!capabilities.current.trust) return undefined;
  const end = await ask("trust", {
    fields: ({ deadlineMs }) => ({ project, digest, timeout: deadlineMs, items }),
    about: { title: project },
    signals: [signal],
  });
  const answer = end.by === "host" ? end.answer : undefined;
  const isTrusted = answer?.trusted === true;
  if (end.id !== undefined) send({ type: "trust_resolved", id: end.id, trusted: isTrusted, by: end.by });
  return { isTrusted, isRemembered: answer?.remember === true };
}
