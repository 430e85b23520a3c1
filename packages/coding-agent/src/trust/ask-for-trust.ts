import { onAbort } from "@pintle/ai";
import type { TrustItem } from "@pintle/wire";

/** Asks for trust in exactly this content. */
export interface TrustRequest {
  project: string;
  digest: string;
  items: TrustItem[];
  /** After this time the answer is no, so the question can be closed. */
  timeoutMs: number;
}

export interface TrustAnswer {
  isTrusted: boolean;
  /** True if the answer, yes or no, is stored for later processes. */
  isRemembered: boolean;
}

export interface TrustAsker {
  by: "host" | "user";
  /** Returns undefined if there was no one to ask. */
  ask(request: TrustRequest, signal?: AbortSignal): Promise<TrustAnswer | undefined>;
}

const DENIED: TrustAnswer = { isTrusted: false, isRemembered: false };

/** Returns the answer, or a denial if the time is up, the signal is aborted or asking fails. Later answers are ignored. */
export async function askForTrust(
  asker: TrustAsker,
  request: TrustRequest,
  signal?: AbortSignal,
): Promise<TrustAnswer | undefined> {
  if (signal?.aborted) return DENIED;
  const { promise, resolve } = Promise.withResolvers<TrustAnswer | undefined>();
  const deny = () => resolve(DENIED);
  const timer = setTimeout(deny, request.timeoutMs);
  const forget = onAbort(signal, deny);
  asker.ask(request, signal).then(resolve, deny);
  try {
    return toAnswer(await promise);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Answers come from foreign code, so only true is a yes. */
function toAnswer(answer: TrustAnswer | undefined): TrustAnswer | undefined {
  return answer && { isTrusted: answer.isTrusted === true, isRemembered: answer.isRemembered === true };
}
