import type { TrustFrame, TrustItem } from "@pintle/wire";
import type { HostCapabilities } from "./host-capabilities.ts";
import type { PendingCalls } from "./pending-calls.ts";

export interface TrustQuestionParts {
  pending: PendingCalls;
  send(frame: TrustFrame): void;
  capabilities: HostCapabilities;
  timeoutMs(): number;
}

/** What the host is asked to trust: exactly this content. */
export interface TrustSubject {
  project: string;
  digest: string;
  items: TrustItem[];
}

export interface TrustDecision {
  isTrusted: boolean;
  /** To be kept for later starts; a denial too. */
  isRemembered: boolean;
}

/** Undefined if this host never declared that it answers such questions, so it was not asked. */
export async function askForTrust(
  { pending, send, capabilities, timeoutMs }: TrustQuestionParts,
  { project, digest, items }: TrustSubject,
  signal?: AbortSignal,
): Promise<TrustDecision | undefined> {
  if (!capabilities.current.trust) return undefined;
  const deadlineMs = timeoutMs();
  const wait = pending.open({
    kind: "trust",
    deadlineMs,
    default: "not trusted",
    about: { title: project },
    signals: [signal],
  });
  if (wait.isAsked) send({ type: "trust_request", id: wait.id, project, digest, timeout: deadlineMs, items });
  const end = await wait.ended;
  const answer = end.by === "host" ? end.answer : undefined;
  const isTrusted = answer?.trusted === true;
  if (wait.isAsked) send({ type: "trust_resolved", id: wait.id, trusted: isTrusted, by: end.by });
  return { isTrusted, isRemembered: answer?.remember === true };
}
