import { unlessAborted } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { TrustAsker } from "../../trust/ask-for-trust.ts";

export interface ConsentParts {
  /** Asks for consent to project content, unless the answer is known. Resolves when the approved content is loaded. */
  ask?(asker: TrustAsker, signal: AbortSignal): Promise<void>;
  /** Describes what waits for consent. Returns undefined if nothing does. */
  withheld?(): string | undefined;
  /** Called when the approved content is loaded. */
  announceCommands(): Promise<void>;
  emit(event: AgentSessionEvent): void;
}

/** Knows whether the project may act. No run starts before that is decided. */
export class Consent {
  readonly #parts: ConsentParts;
  readonly #closing = new AbortController();
  #asker: TrustAsker | undefined;
  #decided: Promise<void> = Promise.resolve();
  #isDecided = true;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** Asks now, and again whenever the question changes. */
  askOf(asker: TrustAsker): void {
    this.#asker = asker;
    this.#ask(asker);
  }

  /**
   * Asks again because the question may have changed. Without an asker, emits a notice about the content that waits.
   */
  askAgain(): void {
    if (this.#asker) {
      this.#ask(this.#asker);
      return;
    }
    const message = this.#parts.withheld?.();
    if (message !== undefined) this.#parts.emit({ type: "notice", level: "warning", message, source: "trust" });
    this.#waitFor(this.#parts.announceCommands());
  }

  /** Waits for the answer until the signal fires. */
  async decided(signal?: AbortSignal): Promise<void> {
    await unlessAborted(this.#decided, signal);
  }

  /** True if no question is open and the approved content is loaded. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** Cancels the open question. */
  close(): void {
    this.#closing.abort();
  }

  #ask(asker: TrustAsker): void {
    const asked = this.#parts.ask?.(asker, this.#closing.signal) ?? Promise.resolve();
    this.#waitFor(asked.then(() => this.#parts.announceCommands()));
  }

  #waitFor(decision: Promise<void>): void {
    this.#decided = decision;
    this.#isDecided = false;
    const settle = () => {
      if (this.#decided === decision) this.#isDecided = true;
    };
    decision.then(settle, settle); // the next run reports the error
  }
}
