import { onAbort } from "@pintle/ai";
import type { Timers } from "@pintle/foundation";
import type { PendingWait, QuestionKind } from "@pintle/wire";
import type { AboutQuestion, FrameKind, HostFields } from "../../../session/host-question.ts";

/** The session itself keeps the waits for decisions on previews. */
export type WaitKind = Exclude<QuestionKind, "preview">;

/** How a wait ended. Only an answer from the host counts as one. */
export type WaitEnd<K extends WaitKind> =
  | { by: "host"; answer: K extends FrameKind ? HostFields : never }
  | { by: "timeout" | "abort" | "disconnect" };

export interface WaitRequest<K extends WaitKind> {
  kind: K;
  deadlineMs: number;
  default: string;
  about?: AboutQuestion;
  /** Signals that end the wait. */
  signals?: readonly (AbortSignal | undefined)[];
  /** Called with progress that the host reports before it answers. */
  onUpdate?(update: unknown): void;
}

export interface WaitParts {
  timers: Timers;
  /** The deadline as a time of day, for users. Timers enforce it. */
  now(): number;
  /** Called once, before `ended` resolves. */
  onEnd(by: WaitEnd<WaitKind>["by"]): void;
}

/** A single wait, which ends exactly once. After that, it keeps no timer or listener. */
export class OpenWait<K extends WaitKind> {
  readonly ended: Promise<WaitEnd<K>>;
  readonly #request: WaitRequest<K>;
  readonly #parts: WaitParts;
  readonly #resolve: (end: WaitEnd<K>) => void;
  readonly #since: number;
  readonly #forgetSignals: (() => void)[];
  #deadline: number;
  #cancelTimer: () => void;
  #isOver = false;

  constructor(request: WaitRequest<K>, parts: WaitParts) {
    const { promise, resolve } = Promise.withResolvers<WaitEnd<K>>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#request = request;
    this.#parts = parts;
    this.#since = parts.now();
    this.#deadline = this.#since + request.deadlineMs;
    this.#cancelTimer = this.#startTimer();
    this.#forgetSignals = (request.signals ?? []).map((signal) => onAbort(signal, () => this.end({ by: "abort" })));
  }

  /** Ends the wait. Only the first call has an effect. */
  end(end: WaitEnd<K>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    for (const forget of this.#forgetSignals) forget();
    this.#parts.onEnd(end.by);
    this.#resolve(end);
  }

  /** Restarts the deadline, because the host is working. */
  update(update: unknown): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#startTimer();
    this.#deadline = this.#parts.now() + this.#request.deadlineMs;
    this.#request.onUpdate?.(update);
  }

  describe(id: string): PendingWait {
    const { kind, default: byDefault, about } = this.#request;
    return { kind, id, since: this.#since, deadline: this.#deadline, default: byDefault, ...about };
  }

  #startTimer(): () => void {
    return this.#parts.timers.start(() => this.end({ by: "timeout" }), this.#request.deadlineMs);
  }
}
