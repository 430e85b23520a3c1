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
  /** Place in the order they came. */
  number: number;
  task: LaneTask;
}

/** Decides when a command may start. Those that may start do so in the order they came, and without a needless wait. */
export class CommandLanes {
  /** Unanswered commands in the order they came. */
  readonly #unanswered: Record<Lane, Set<Entry>> = {
    control: new Set(),
    ordered: new Set(),
    long: new Set(),
    read: new Set(),
    detached: new Set(),
  };
  /** Those of them that have not started, apart: thousands may be under way at once while none waits. */
  readonly #waiting = new Set<Entry>();
  #received = 0;
  #unansweredCount = 0;
  #isStarting = false;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  submit({ lane, overtakesLong = false }: LaneRule, task: LaneTask): void {
    const waitsFor = WAITS_FOR[lane].filter((other) => !(overtakesLong && other === "long"));
    this.#received += 1;
    this.#unansweredCount += 1;
    const entry: Entry = { lane, waitsFor, number: this.#received, task };
    const mayStart = this.#mayStart(entry);
    this.#unanswered[lane].add(entry);
    if (mayStart) this.#start(entry);
    else this.#waiting.add(entry);
  }

  /** Resolves when every command is answered, those included that arrive meanwhile. */
  idle(): Promise<void> {
    if (this.#unansweredCount === 0) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  #mayStart(entry: Entry): boolean {
    return entry.waitsFor.every((lane) => !this.#hasEarlier(lane, entry));
  }

  #hasEarlier(lane: Lane, { number }: Entry): boolean {
    for (const oldest of this.#unanswered[lane]) return oldest.number < number;
    return false;
  }

  #start(entry: Entry): void {
    let isAnswered = true;
    try {
      const answered = entry.task();
      if (!answered) return;
      isAnswered = false;
      void answered.finally(() => this.#finish(entry));
    } finally {
      if (isAnswered) this.#finish(entry); // also when it threw: a bug must not block the lane
    }
  }

  #finish(entry: Entry): void {
    this.#unanswered[entry.lane].delete(entry);
    this.#unansweredCount -= 1;
    this.#startWaiting();
    if (this.#unansweredCount > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }

  /** One pass is enough: what ends during it can only free commands that are still to come in the pass. */
  #startWaiting(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    for (const entry of this.#waiting) {
      if (this.#hasEarlier("ordered", entry)) break; // every lane that can wait waits for this one
      if (!this.#mayStart(entry)) continue;
      this.#waiting.delete(entry);
      this.#start(entry);
    }
    this.#isStarting = false;
  }
}
