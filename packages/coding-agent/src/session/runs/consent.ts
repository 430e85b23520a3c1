import { unlessAborted } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { TrustAsker } from "../../trust/ask-for-trust.ts";

export interface ConsentParts {
  /** Asks whether the project may act, unless that is known; resolves when what was agreed to is loaded. */
  ask?(asker: TrustAsker, signal: AbortSignal): Promise<void>;
  /** What waits for consent, in words; undefined when nothing does. */
  withheld?(): string | undefined;
  /** Called when what was agreed to is loaded. */
  announceCommands(): Promise<void>;
  emit(event: AgentSessionEvent): void;
}

/** Whether the project may act: no run begins before that is known. */
export class Consent {
  readonly #parts: ConsentParts;
  readonly #closing = new AbortController();
  #asker: TrustAsker | undefined;
  #decided: Promise<void> = Promise.resolve();
  #isDecided = true;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** The asker answers: now, and whenever there is another question. */
  askOf(asker: TrustAsker): void {
    this.#asker = asker;
    this.#ask(asker);
  }

  /** The question may have changed. A user who cannot be asked is notified of what waits. */
  askAgain(): void {
    if (this.#asker) {
      this.#ask(this.#asker);
      return;
    }
    const message = this.#parts.withheld?.();
    if (message !== undefined) this.#parts.emit({ type: "notice", level: "warning", message, source: "trust" });
    this.#waitFor(this.#parts.announceCommands());
  }

  /** Waits for the answer, until the signal fires. */
  async decided(signal?: AbortSignal): Promise<void> {
    await unlessAborted(this.#decided, signal);
  }

  /** No question is open, and what was agreed to is loaded. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** No question is open any more. */
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
    decision.then(settle, settle); // the next run gets the failure
  }
}
