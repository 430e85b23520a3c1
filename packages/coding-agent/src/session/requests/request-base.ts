import type { Tool } from "@pintle/agent";

/** What a request begins with, and the entry that it ends with. */
export interface SentRequest {
  systemPrompt: string;
  declared: readonly Tool[];
  leafId: string | null;
}

/** Remembers the newest request, for subagents that continue its conversation. */
export class RequestBase {
  #newest: SentRequest | undefined;

  remember(request: SentRequest): void {
    this.#newest = request;
  }

  /** Throws if no request has been sent yet. */
  get newest(): SentRequest {
    if (!this.#newest) throw new Error("There is no conversation to continue: no request has been sent yet.");
    return this.#newest;
  }
}
