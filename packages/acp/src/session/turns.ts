import type { StopReason } from "@agentclientprotocol/sdk";
import { onAbort } from "@pintle/ai";

/** The parts of the engine that a turn needs. */
export interface TurnEngine<I> {
  /** `begun` is called before anything else. */
  prompt(input: I, callbacks: { begun(id: string): void; accepted(): void; failed(error: Error): void }): void;
  /** Has no effect if nothing runs. */
  abort(): void;
  /** Sends what must precede the response of the turn. Must not reject. */
  beforeAnswer(): Promise<void>;
}

interface Turn<I> {
  input: I;
  id: string | undefined;
  isCancelled: boolean;
  isEnding: boolean;
  resolve(stop: StopReason): void;
  reject(error: Error): void;
}

/** How a turn ended. A cancelled turn reports that it was cancelled, whatever the engine says. */
export type TurnEnd = { stop: StopReason } | { error: Error };

/**
 * The prompts of a session, one at a time. Each is answered once, when nothing more can follow it. A prompt that arrives during
 * another waits for it, and cancelling ends all prompts so far.
 */
export class Turns<I> {
  readonly #engine: TurnEngine<I>;
  readonly #waiting: Turn<I>[] = [];
  #active: Turn<I> | undefined;

  constructor(engine: TurnEngine<I>) {
    this.#engine = engine;
  }

  get isActive(): boolean {
    return this.#active !== undefined;
  }

  get isCancelling(): boolean {
    return this.#active?.isCancelled === true;
  }

  /** Whether the prompt with that id runs and has not ended. */
  isOpen(id: string): boolean {
    return this.#active?.id === id && !this.#active.isEnding;
  }

  /** Adds a prompt. `signal` cancels only this one. */
  add(input: I, signal: AbortSignal): Promise<StopReason> {
    const { promise, resolve, reject } = Promise.withResolvers<StopReason>();
    const turn: Turn<I> = { input, id: undefined, isCancelled: false, isEnding: false, resolve, reject };
    this.#waiting.push(turn);
    const forget = onAbort(signal, () => this.#cancel(turn));
    this.#next();
    return promise.finally(forget);
  }

  cancel(): void {
    const waiting = this.#waiting.splice(0);
    if (this.#active) this.#cancel(this.#active);
    for (const turn of waiting) turn.resolve("cancelled");
  }

  /** Called when a run starts. If its prompt was cancelled before, the abort arrived too early and is repeated. */
  runBegan(): void {
    if (this.isCancelling) this.#engine.abort();
  }

  /** Ends the prompt with that id. */
  ended(id: string, end: TurnEnd): void {
    if (this.#active?.id === id) this.#end(this.#active, end);
  }

  /** Ends the active turn, because the engine has ended. */
  lost(end: TurnEnd): void {
    if (this.#active) this.#end(this.#active, end);
  }

  #next(): void {
    if (this.#active) return;
    const turn = this.#waiting.shift();
    if (!turn) return;
    this.#active = turn;
    this.#engine.prompt(turn.input, {
      begun: (id) => {
        turn.id = id;
      },
      accepted: () => {
        if (turn.isCancelled) this.#engine.abort();
      },
      failed: (error) => this.#end(turn, { error }),
    });
  }

  #cancel(turn: Turn<I>): void {
    const place = this.#waiting.indexOf(turn);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      turn.resolve("cancelled");
    } else if (this.#active === turn && !turn.isCancelled) {
      turn.isCancelled = true;
      this.#engine.abort();
    }
  }

  #end(turn: Turn<I>, end: TurnEnd): void {
    if (this.#active !== turn || turn.isEnding) return;
    turn.isEnding = true;
    void this.#answer(turn, end); // does not reject
  }

  async #answer(turn: Turn<I>, end: TurnEnd): Promise<void> {
    await this.#engine.beforeAnswer();
    if (turn.isCancelled) turn.resolve("cancelled");
    else if ("stop" in end) turn.resolve(end.stop);
    else turn.reject(end.error);
    this.#active = undefined;
    this.#next();
  }
}
