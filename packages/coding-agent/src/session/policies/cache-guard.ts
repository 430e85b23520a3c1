import type { AgentEvent } from "@pintle/agent";
import { type CacheRetention, isMeasure, type Model, promptTokens, type RequestPrefix } from "@pintle/ai";
import type { AgentSessionEvent, CacheBreakCause, CacheBreaks } from "@pintle/wire";
import type { ContextChange } from "../../compaction/compaction-types.ts";
import {
  fingerprintRequest,
  type Layer,
  lossBetween,
  type RequestFingerprint,
} from "../requests/request-fingerprint.ts";
import type { RestoreCause, RunPolicy } from "./policy.ts";

/** Prints of so many models are kept: a fallback, or a cycle through some, finds the cache of each again. */
const MAX_MODELS = 4;
/** Where no answer has told how many tokens the request had. */
const BYTES_PER_TOKEN = 4;

const CAUSES: Readonly<Record<Layer, CacheBreakCause>> = {
  tools: "tools_changed",
  system: "system_changed",
  tool_choice: "tool_choice_changed",
  thinking: "thinking_changed",
  messages: "messages_rewritten",
};

/** How long providers keep what nothing reads; some keep it longer. */
const LIFETIME_MS: Readonly<Record<CacheRetention, number>> = { none: 0, short: 5 * 60_000, long: 60 * 60_000 };

/** After these the messages are others from their beginning on. */
const STARTS_ANEW: ReadonlySet<CacheBreakCause> = new Set(["compaction", "pruning", "session_changed"]);

export interface CacheGuardParts {
  emit(event: AgentSessionEvent): void;
  now(): number;
}

interface Sent extends RequestFingerprint {
  /** When nothing of it may be cached any more, if nothing follows it. */
  endsAt: number;
  /** As the provider counted them. */
  tokens?: number;
}

/**
 * Sees every request of the conversation on its way out and tells when it does not begin with the one before it, because the
 * provider then reads again what it had in its cache. Keeps hashes, no text; its work is done while the request is under way.
 */
export class CacheGuard implements RunPolicy {
  readonly name = "cache";
  readonly #parts: CacheGuardParts;
  /** The newest request to each model, the last used model last. */
  readonly #sent = new Map<string, Sent>();
  #newest: Sent | undefined;
  /** What has put other messages in the place of those that were sent. */
  #expected: CacheBreakCause | undefined;
  /** Nothing of it was sent yet. */
  #isOtherConversation = false;
  #breaks: CacheBreaks = { count: 0, bytesLost: 0, tokensLost: 0 };

  constructor(parts: CacheGuardParts) {
    this.#parts = parts;
  }

  /** Since the session was opened. */
  get breaks(): CacheBreaks {
    return this.#breaks;
  }

  /** Nothing of the conversation is in the cache of the model's provider, as far as one can know. */
  isCold(model: Model): boolean {
    const sent = this.#sent.get(keyOf(model));
    return !sent || this.#isOver(sent) || (!!this.#expected && STARTS_ANEW.has(this.#expected));
  }

  /**
   * No provider has tools and system prompt of the conversation in its cache. A compaction, a copy of the session, or another
   * model for a while, leaves them there.
   */
  get isHeadCold(): boolean {
    return this.#isOtherConversation || [...this.#sent.values()].every((sent) => this.#isOver(sent));
  }

  #isOver({ endsAt }: Sent): boolean {
    return endsAt <= this.#parts.now();
  }

  observe(model: Model, prefix: RequestPrefix, retention: CacheRetention = "short"): void {
    const key = keyOf(model);
    const sent: Sent = { ...fingerprintRequest(prefix), endsAt: this.#parts.now() + LIFETIME_MS[retention] };
    const earlier = this.#sent.get(key);
    const before = this.#newest;
    this.#remember(key, sent);
    const expected = this.#expected;
    this.#expected = undefined;
    this.#isOtherConversation = false;
    if (!earlier) {
      if (before) this.#report("model_changed", before, before.bytes);
      return;
    }
    const loss = lossBetween(earlier, sent, prefix);
    if (!loss) return;
    this.#report((loss.keepsMessages ? undefined : expected) ?? CAUSES[loss.layer], earlier, loss.bytes);
  }

  after(event: AgentEvent): void {
    if (event.type !== "message_end" || event.message.role !== "assistant" || !this.#newest) return;
    if (isMeasure(event.message)) this.#newest.tokens = promptTokens(event.message.usage);
  }

  /** The messages of the conversation are others now. */
  contextChanged(change: ContextChange): void {
    this.#expected = change;
  }

  restore(cause: RestoreCause): void {
    if (cause === "moved") return;
    this.#expected = "session_changed";
    this.#isOtherConversation = cause === "new"; // a resumed one may have been sent before
    this.#breaks = { count: 0, bytesLost: 0, tokensLost: 0 };
  }

  #remember(key: string, sent: Sent): void {
    this.#newest = sent;
    this.#sent.delete(key);
    this.#sent.set(key, sent);
    if (this.#sent.size <= MAX_MODELS) return;
    const [oldest] = this.#sent.keys();
    if (oldest !== undefined) this.#sent.delete(oldest);
  }

  #report(cause: CacheBreakCause, earlier: Sent, bytesLost: number): void {
    if (bytesLost === 0) return;
    const tokens = earlier.tokens ?? earlier.bytes / BYTES_PER_TOKEN;
    const tokensLost = Math.round((tokens * bytesLost) / earlier.bytes);
    const { count, ...sum } = this.#breaks;
    this.#breaks = {
      count: count + 1,
      bytesLost: sum.bytesLost + bytesLost,
      tokensLost: sum.tokensLost + tokensLost,
    };
    this.#parts.emit({ type: "cache_break", cause, bytesLost, tokensLost });
  }
}

function keyOf({ provider, id, baseUrl }: Model): string {
  return `${provider}/${id} ${baseUrl}`;
}
