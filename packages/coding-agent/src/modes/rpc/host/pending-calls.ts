import { systemTimers, type Timers } from "@pintle/foundation";
import { type PendingWait, QUESTIONS, type QuestionRow, type QuestionState } from "@pintle/wire";
import type { FrameKind, HostFields } from "../../../session/host-question.ts";
import type { RunTrace } from "../../../traces/run-trace.ts";
import { OpenWait, type WaitEnd, type WaitKind, type WaitRequest } from "./pending-wait.ts";
import { type NewId, questionIds } from "./question-ids.ts";

/** Number of ended questions to remember, to tell a host that its answer came too late. */
const MAX_ENDED = 1000;

type EngineRow = QuestionRow & { idPrefix: string };

/** One question to the host. */
export interface PendingCall<K extends WaitKind> {
  readonly id: string;
  /** False if the wait ended before the host was asked. Nothing must be sent then. */
  readonly isAsked: boolean;
  /** Resolves once, whatever happens. Never rejects. */
  readonly ended: Promise<WaitEnd<K>>;
}

export interface PendingCallsParts {
  timers?: Timers;
  now?(): number;
  newId?: NewId;
  /** Called for each question to the host. Returns a function to call when it ends. */
  onWait?: RunTrace["onWait"] | undefined;
}

/** All pending questions to the host. Each has a deadline and a default, so that a silent host blocks nothing. */
export class PendingCalls {
  readonly #timers: Timers;
  readonly #now: () => number;
  readonly #onWait: PendingCallsParts["onWait"];
  readonly #open = new Map<string, { id: string; wait: OpenWait<WaitKind> }>();
  /** Ended questions by key, oldest first: whether the host answered. */
  readonly #ended = new Map<string, "answered" | "ended">();
  readonly #newId: NewId;
  #isHostGone = false;

  constructor({ timers = systemTimers, now = Date.now, newId = questionIds(), onWait }: PendingCallsParts = {}) {
    this.#timers = timers;
    this.#now = now;
    this.#newId = newId;
    this.#onWait = onWait;
  }

  /** Returns an id for frames that no host answers. Unique in the process, because there is one table. */
  nextId(prefix: string): string {
    return this.#newId(prefix, false);
  }

  open<K extends WaitKind>(request: WaitRequest<K>): PendingCall<K> {
    const { kind, signals = [] } = request;
    const { idPrefix, isExclusive }: EngineRow = QUESTIONS[kind];
    const id = this.#newId(idPrefix, isExclusive !== true);
    if (this.#isHostGone) return { id, isAsked: false, ended: Promise.resolve({ by: "disconnect" }) };
    if (signals.some((signal) => signal?.aborted)) {
      return { id, isAsked: false, ended: Promise.resolve({ by: "abort" }) };
    }
    const key = keyOf(kind, id);
    const wait = new OpenWait(request, {
      timers: this.#timers,
      now: this.#now,
      onEnd: (by) => this.#onEnd(key, by),
    });
    const onEnd = this.#onWait?.({ kind, ...request.about });
    if (onEnd) void wait.ended.then(({ by }) => onEnd(by)); // does not reject
    this.#open.set(key, { id, wait: wait as unknown as OpenWait<WaitKind> }); // the key contains the kind
    return { id, isAsked: true, ended: wait.ended };
  }

  stateOf(kind: WaitKind, id: string): QuestionState {
    const key = keyOf(kind, id);
    return this.#open.has(key) ? "open" : (this.#ended.get(key) ?? "unknown");
  }

  /** Returns the kind of an open dialog, or undefined if it is not open. */
  methodOf(id: string): string | undefined {
    return this.#open.get(keyOf("dialog", id))?.wait.describe(id).method;
  }

  /** Resolves a question. Ignored if it has ended. */
  answer(kind: FrameKind, id: unknown, answer: HostFields): void {
    this.#find(kind, id)?.end({ by: "host", answer });
  }

  /** Passes progress on and restarts the deadline. */
  update(kind: WaitKind, id: unknown, update: unknown): void {
    this.#find(kind, id)?.update(update);
  }

  /** Returns the pending questions, oldest first. */
  list(): PendingWait[] {
    return Array.from(this.#open.values(), ({ id, wait }) => wait.describe(id));
  }

  /** Ends all pending questions, and from now on each new one immediately, because no more answers will arrive. */
  hostGone(): void {
    this.#isHostGone = true;
    for (const { wait } of [...this.#open.values()]) wait.end({ by: "disconnect" });
  }

  #onEnd(key: string, by: WaitEnd<WaitKind>["by"]): void {
    this.#open.delete(key);
    this.#ended.set(key, by === "host" ? "answered" : "ended");
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #find(kind: WaitKind, id: unknown): OpenWait<WaitKind> | undefined {
    return typeof id === "string" ? this.#open.get(keyOf(kind, id))?.wait : undefined;
  }
}

/** Includes the kind in the key, so that an answer of one kind never ends a question of another. */
const keyOf = (kind: WaitKind, id: string) => `${kind} ${id}`;
