import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { delay } from "@pintle/ai";
import type { SessionStats } from "@pintle/client/core";

/** The response of a turn must not wait longer for an engine that does not answer. */
const PATIENCE_MS = 2_000;

export interface UsageParts {
  stats(): Promise<SessionStats>;
  tell(update: SessionUpdate): void;
}

/** Context usage and cost of the session, sent during a turn and before its response. */
export class Usage {
  readonly #parts: UsageParts;
  #reading: Promise<void> | undefined;
  #lastSent = "";
  #isQuiet = false;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  /** Called when an answer of the model is complete. Requests one update at a time, because the next covers more. */
  changed(): void {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
  }

  /** Resolves when the latest figures were sent or did not arrive in time. None are sent afterwards. */
  async settle(): Promise<void> {
    const isOver = new AbortController();
    const newest = async () => {
      await this.#reading;
      await this.#read();
    };
    await Promise.race([newest(), delay(PATIENCE_MS, isOver.signal)]);
    isOver.abort();
    this.#isQuiet = true;
  }

  turnBegins(): void {
    this.#isQuiet = false;
  }

  async #read(): Promise<void> {
    const stats = await this.#parts.stats().catch(() => undefined); // the engine has ended, which is reported separately
    const { tokens, contextWindow } = stats?.contextUsage ?? {};
    if (!stats || this.#isQuiet || typeof tokens !== "number" || contextWindow === undefined) return;
    const cost = { amount: stats.lifetime.cost, currency: "USD" };
    const update: SessionUpdate = { sessionUpdate: "usage_update", used: tokens, size: contextWindow, cost };
    const text = JSON.stringify(update);
    if (text === this.#lastSent) return;
    this.#lastSent = text;
    this.#parts.tell(update);
  }
}
