import type { PendingWait } from "@pintle/wire";
import { systemTimers, type Timers } from "../../../async/timers.ts";
import type { RunTrace } from "../../../traces/run-trace.ts";
import { type HostAnswers, OpenWait, type WaitEnd, type WaitKind, type WaitRequest } from "./pending-wait.ts";

const ID_PREFIX: Record<WaitKind, string> = {
  dialog: "ui",
  host_tool: "host",
  trust: "trust",
  approval: "approval",
  budget: "budget",
  host_fs: "fs",
  host_terminal: "terminal",
  mcp_auth: "login",
};

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
  /** Told of each wait that the host is asked about; gives whom to tell of its end. */
  onWait?: RunTrace["onWait"] | undefined;
}

/** Everything that waits for the host. Each wait has a deadline and a default, so a silent host stops nothing. */
export class PendingCalls {
  readonly #timers: Timers;
  readonly #now: () => number;
  readonly #onWait: PendingCallsParts["onWait"];
  readonly #open = new Map<string, { id: string; wait: OpenWait<WaitKind> }>();
  readonly #idCounts = new Map<string, number>();
  #isHostGone = false;

  constructor({ timers = systemTimers, now = Date.now, onWait }: PendingCallsParts = {}) {
    this.#timers = timers;
    this.#now = now;
    this.#onWait = onWait;
  }

  /** Unique in the process, because there is one table in it. */
  nextId(prefix: string): string {
    const count = (this.#idCounts.get(prefix) ?? 0) + 1;
    this.#idCounts.set(prefix, count);
    return `${prefix}_${count}`;
  }

  open<K extends WaitKind>(request: WaitRequest<K>): PendingCall<K> {
    const { kind, signals = [] } = request;
    const id = this.nextId(ID_PREFIX[kind]);
    if (this.#isHostGone) return { id, isAsked: false, ended: Promise.resolve({ by: "disconnect" }) };
    if (signals.some((signal) => signal?.aborted)) {
      return { id, isAsked: false, ended: Promise.resolve({ by: "abort" }) };
    }
    const key = keyOf(kind, id);
    const wait = new OpenWait(request, {
      timers: this.#timers,
      now: this.#now,
      onEnd: () => this.#open.delete(key),
    });
    const onEnd = this.#onWait?.({ kind, ...request.about });
    if (onEnd) void wait.ended.then(({ by }) => onEnd(by)); // does not reject
    this.#open.set(key, { id, wait: wait as unknown as OpenWait<WaitKind> }); // the key says which kind it is
    return { id, isAsked: true, ended: wait.ended };
  }

  isOpen(kind: WaitKind, id: unknown): boolean {
    return this.#find(kind, id) !== undefined;
  }

  /** Ignored when nothing waits for it (any more): the host could not know. */
  answer<K extends WaitKind>(kind: K, id: unknown, answer: HostAnswers[K]): void {
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

  #find(kind: WaitKind, id: unknown): OpenWait<WaitKind> | undefined {
    return typeof id === "string" ? this.#open.get(keyOf(kind, id))?.wait : undefined;
  }
}

/** An answer of one kind never ends a wait of another. */
const keyOf = (kind: WaitKind, id: string) => `${kind} ${id}`;
