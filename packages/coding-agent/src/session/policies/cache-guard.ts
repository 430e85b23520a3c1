import type { AgentEvent } from "@pintle/agent";
import { type CacheRetention, isMeasure, type Model, promptTokens, type RequestPrefix } from "@pintle/ai";
import type { AgentSessionEvent, CacheBreakCause, CacheBreaks } from "@pintle/wire";
import type { ContextChange } from "../../compaction/compaction-types.ts";
import {
  bytesOfRequest,
  fingerprintRequest,
  type Layer,
  lossBetween,
  type RequestFingerprint,
} from "../requests/request-fingerprint.ts";
import type { RestoreCause, RunPolicy } from "./policy.ts";

/** How many models to keep fingerprints of: after a fallback, or when cycling, the cache of each is found again. */
const MAX_MODELS = 4;
/** Used to estimate tokens if no answer has reported how many the request had. */
const BYTES_PER_TOKEN = 4;

const CAUSES: Readonly<Record<Layer, CacheBreakCause>> = {
  tools: "tools_changed",
  system: "system_changed",
  tool_choice: "tool_choice_changed",
  thinking: "thinking_changed",
  messages: "messages_rewritten",
};

/** How long providers keep a cache that is not read; some keep it longer. */
const LIFETIME_MS: Readonly<Record<CacheRetention, number>> = { none: 0, short: 5 * 60_000, long: 60 * 60_000 };

/** Causes that change the messages from their beginning. */
const STARTS_ANEW: ReadonlySet<CacheBreakCause> = new Set(["compaction", "pruning", "session_changed"]);

export interface CacheGuardParts {
  emit(event: AgentSessionEvent): void;
  now(): number;
}

interface Sent extends RequestFingerprint {
  /** When the cached request may have expired if no request follows. */
  endsAt: number;
  /** The number of tokens as reported by the provider. */
  tokens?: number;
}

/**
 * Checks every conversation request before it is sent and reports if it does not begin with the one before it, because the
 * provider then cannot use its cache. Compares while the request is in progress.
 */
export class CacheGuard implements RunPolicy {
  readonly name = "cache";
  readonly #parts: CacheGuardParts;
  /** The newest request to each model, the most recently used model last. */
  readonly #sent = new Map<string, Sent>();
  #newest: Sent | undefined;
  /** The announced reason for which the next request differs. */
  #expected: CacheBreakCause | undefined;
  /** True if nothing of the open conversation was sent yet. */
  #isOtherConversation = false;
  #breaks: CacheBreaks = { count: 0, bytesLost: 0, tokensLost: 0 };

  constructor(parts: CacheGuardParts) {
    this.#parts = parts;
  }

  /** The breaks since the session was opened. */
  get breaks(): CacheBreaks {
    return this.#breaks;
  }

  /** Returns true if, as far as pintle knows, the model's provider has nothing of the conversation in its cache. */
  isCold(model: Model): boolean {
    const sent = this.#sent.get(keyOf(model));
    return !sent || this.#isOver(sent) || (!!this.#expected && STARTS_ANEW.has(this.#expected));
  }

  /**
   * True if no provider has the tools and the system prompt of the conversation in its cache. They stay there after a compaction,
   * after the session is copied, and while another model is used for a time.
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
      if (before) this.#report("model_changed", before, bytesOfRequest(before));
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

  /** Takes note that the messages of the conversation were replaced. */
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
    const bytes = bytesOfRequest(earlier);
    const tokens = earlier.tokens ?? bytes / BYTES_PER_TOKEN;
    const tokensLost = Math.round((tokens * bytesLost) / bytes);
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
