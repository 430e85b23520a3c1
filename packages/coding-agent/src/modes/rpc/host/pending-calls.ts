import { systemTimers, type Timers } from "@pintle/foundation";
import { type PendingWait, QUESTIONS, type QuestionRow, type QuestionState } from "@pintle/wire";
import type { RunTrace } from "../../../traces/run-trace.ts";
import {
  type FrameKind,
  type HostFields,
  OpenWait,
  type WaitEnd,
  type WaitKind,
  type WaitRequest,
} from "./pending-wait.ts";
import { type NewId, questionIds } from "./question-ids.ts";

/** How many ended questions are remembered, for telling a host that its answer came too late. */
const MAX_ENDED = 1000;

type EngineRow = QuestionRow & { idPrefix: string };

/** One question to the host. */
export interface PendingCall<K extends WaitKind> {
  readonly id: string;
  /** False when it was over before the host was asked: then nothing is to be sent. */
  readonly isAsked: boolean;
  /** Resolves once, whatever happens. Never rejects. */
  readonly ended: Promise<WaitEnd<K>>;
}

export interface PendingCallsParts {
  timers?: Timers;
  now?(): number;
  newId?: NewId;
  /** Called for each wait that the host is asked about; returns what to call at its end. */
  onWait?: RunTrace["onWait"] | undefined;
}

/** Everything that waits for the host. Each wait has a deadline and a default, so a silent host stops nothing. */
export class PendingCalls {
  readonly #timers: Timers;
  readonly #now: () => number;
  readonly #onWait: PendingCallsParts["onWait"];
  readonly #open = new Map<string, { id: string; wait: OpenWait<WaitKind> }>();
  /** By key, the oldest first: whether the host has answered. */
  readonly #ended = new Map<string, "answered" | "ended">();
  readonly #newId: NewId;
  #isHostGone = false;

  constructor({ timers = systemTimers, now = Date.now, newId = questionIds(), onWait }: PendingCallsParts = {}) {
    this.#timers = timers;
    this.#now = now;
    this.#newId = newId;
    this.#onWait = onWait;
  }

  /** For frames that no host answers. Unique in the process, because there is one table in it. */
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
    this.#open.set(key, { id, wait: wait as unknown as OpenWait<WaitKind> }); // the key says which kind it is
    return { id, isAsked: true, ended: wait.ended };
  }

  stateOf(kind: WaitKind, id: string): QuestionState {
    const key = keyOf(kind, id);
    return this.#open.has(key) ? "open" : (this.#ended.get(key) ?? "unknown");
  }

  /** What a dialog asks for; undefined if it is not open. */
  methodOf(id: string): string | undefined {
    return this.#open.get(keyOf("dialog", id))?.wait.describe(id).method;
  }

  /** Ignored if nothing waits for it any more. */
  answer(kind: FrameKind, id: unknown, answer: HostFields): void {
    this.#find(kind, id)?.end({ by: "host", answer });
  }

  /** Hands the news to who waits, and gives the host its whole time again. */
  update(kind: WaitKind, id: unknown, update: unknown): void {
    this.#find(kind, id)?.update(update);
  }

  /** What is waiting, oldest first. */
  list(): PendingWait[] {
    return Array.from(this.#open.values(), ({ id, wait }) => wait.describe(id));
  }

  /** No answer will come any more: what waits ends now, and what comes ends at once. */
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

/** An answer of one kind never ends a wait of another. */
const keyOf = (kind: WaitKind, id: string) => `${kind} ${id}`;
