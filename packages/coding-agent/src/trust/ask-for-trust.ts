import { onAbort } from "@pintle/ai";
import type { TrustItem } from "@pintle/wire";

/** What the user is asked to trust: exactly this content. */
export interface TrustRequest {
  project: string;
  digest: string;
  items: TrustItem[];
  /** After this the answer is no, so a question need not be shown any longer. */
  timeoutMs: number;
}

export interface TrustAnswer {
  isTrusted: boolean;
  /** To be kept for later processes; a denial too. */
  isRemembered: boolean;
}

export interface TrustAsker {
  by: "host" | "user";
  /** undefined: there was no one to ask. */
  ask(request: TrustRequest, signal?: AbortSignal): Promise<TrustAnswer | undefined>;
}

const DENIED: TrustAnswer = { isTrusted: false, isRemembered: false };

/** The answer, or a denial when the time is over, the signal fires or asking fails. What comes later counts for nothing. */
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

/** Answers come from other people's code: nothing but true is a yes. */
function toAnswer(answer: TrustAnswer | undefined): TrustAnswer | undefined {
  return answer && { isTrusted: answer.isTrusted === true, isRemembered: answer.isRemembered === true };
}
