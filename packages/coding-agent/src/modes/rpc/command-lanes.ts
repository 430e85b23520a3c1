/** The five classes of the protocol (RPC 3.2). */
export type Lane = "control" | "ordered" | "long" | "read" | "detached";

export interface LaneRule {
  lane: Lane;
  /** Does not wait for a long command, only for the ordered ones before it. */
  overtakesLong?: boolean;
  /** Acts like `abort` the moment it is read, whatever it then waits for. */
  abortsOnReceipt?: boolean;
}

/** Answered when it returns or when its promise settles. */
export type LaneTask = () => void | Promise<void>;

/** A command starts when no earlier command of these lanes is unanswered. */
const WAITS_FOR: Record<Lane, readonly Lane[]> = {
  control: [],
  ordered: ["ordered", "long"],
  long: ["ordered", "long"],
  read: ["ordered", "long"],
  detached: ["ordered", "long", "detached"],
};

interface Entry {
  lane: Lane;
  waitsFor: readonly Lane[];
  /** Absent once started. */
  task: LaneTask | undefined;
}

/** Decides when a command may start. Those that may start do so in the order they came, and without a needless wait. */
export class CommandLanes {
  /** All unanswered commands in the order they came. */
  readonly #entries = new Set<Entry>();
  readonly #unanswered: Record<Lane, number> = { control: 0, ordered: 0, long: 0, read: 0, detached: 0 };
  #isStarting = false;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  submit({ lane, overtakesLong = false }: LaneRule, task: LaneTask): void {
    const waitsFor = WAITS_FOR[lane].filter((other) => !(overtakesLong && other === "long"));
    const mayStart = waitsFor.every((other) => this.#unanswered[other] === 0);
    const entry: Entry = { lane, waitsFor, task };
    this.#entries.add(entry);
    this.#unanswered[lane] += 1;
    if (mayStart) this.#start(entry, task);
  }

  /** Resolves when every command is answered, those included that arrive meanwhile. */
  idle(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  #start(entry: Entry, task: LaneTask): void {
    entry.task = undefined;
    let isAnswered = true;
    try {
      const answered = task();
      if (!answered) return;
      isAnswered = false;
      void answered.finally(() => this.#finish(entry));
    } finally {
      if (isAnswered) this.#finish(entry); // also when it threw: a bug must not block the lane
    }
  }

  #finish(entry: Entry): void {
    this.#entries.delete(entry);
    this.#unanswered[entry.lane] -= 1;
    this.#startWaiting();
    if (this.#entries.size > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }

  /** One pass is enough: what ends during it can only free commands that are still to come in the pass. */
  #startWaiting(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    const ahead = new Set<Lane>();
    for (const entry of this.#entries) {
      if (entry.task && !entry.waitsFor.some((lane) => ahead.has(lane))) this.#start(entry, entry.task);
      if (this.#entries.has(entry)) ahead.add(entry.lane);
      if (ahead.has("ordered")) break; // every lane that can wait waits for this one
    }
    this.#isStarting = false;
  }
}
