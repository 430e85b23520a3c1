import type { Lane, LaneRule } from "@pintle/wire";

/**
 * Handles a command, which is answered when this returns or its promise settles. `before` reports earlier commands that are
 * still active.
 */
export type LaneTask = (before: EarlierCommands) => void | Promise<void>;

export interface EarlierCommands {
  /** Resolves when the last of them is answered. Undefined if none is active. */
  detached(): Promise<void> | undefined;
}

/** How an unanswered command affects later ones: its lane, except for those that end a run. */
type Place = Lane | "ending";

/**
 * The lanes that a command waits for: it starts when no earlier command in them is unanswered. Reads are included, because
 * some load what they return and must not return what was written after them.
 */
const WAITS_FOR: Record<Lane, readonly Place[]> = {
  control: [],
  ordered: ["ordered", "long", "read"],
  long: ["ordered", "long", "read"],
  read: ["ordered", "long"],
  detached: ["ordered", "long", "read", "detached"],
};

interface Entry {
  place: Place;
  waitsFor: readonly Place[];
  /** Position in order of arrival. */
  number: number;
  task: LaneTask;
  /** Created when something waits for its end without waiting to start. */
  over?: PromiseWithResolvers<void>;
}

/** Decides when commands may start. They start in order of arrival and as early as possible. */
export class CommandLanes {
  /** Unanswered commands in order of arrival. */
  readonly #unanswered: Record<Place, Set<Entry>> = {
    control: new Set(),
    ending: new Set(),
    ordered: new Set(),
    long: new Set(),
    read: new Set(),
    detached: new Set(),
  };
  /** The commands that have not started. Kept separately, because thousands may be active while none waits. */
  readonly #waiting = new Set<Entry>();
  #received = 0;
  #unansweredCount = 0;
  #isStarting = false;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  submit(rule: LaneRule, task: LaneTask): void {
    const place = placeOf(rule);
    this.#received += 1;
    this.#unansweredCount += 1;
    const entry: Entry = { place, waitsFor: waitsFor(rule), number: this.#received, task };
    const mayStart = this.#mayStart(entry);
    this.#unanswered[place].add(entry);
    if (mayStart) this.#start(entry);
    else this.#waiting.add(entry);
  }

  /** Resolves when every command is answered, including those that arrive in the meantime. */
  idle(): Promise<void> {
    if (this.#unansweredCount === 0) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  #mayStart(entry: Entry): boolean {
    return entry.waitsFor.every((place) => !this.#hasEarlier(place, entry));
  }

  #hasEarlier(place: Place, { number }: Entry): boolean {
    for (const oldest of this.#unanswered[place]) return oldest.number < number;
    return false;
  }

  /** Commands of a lane run one after the other, so the last one ends last. */
  #endOfEarlier(place: Place, { number }: Entry): Promise<void> | undefined {
    let last: Entry | undefined;
    for (const entry of this.#unanswered[place]) if (entry.number < number) last = entry;
    if (!last) return undefined;
    last.over ??= Promise.withResolvers();
    return last.over.promise;
  }

  #start(entry: Entry): void {
    let isAnswered = true;
    try {
      const answered = entry.task({ detached: () => this.#endOfEarlier("detached", entry) });
      if (!answered) return;
      isAnswered = false;
      // The dispatcher answers failures, so its promise never rejects.
      void answered.finally(() => this.#finish(entry));
    } finally {
      if (isAnswered) this.#finish(entry); // even if it threw, because a bug must not block the lane
    }
  }

  #finish(entry: Entry): void {
    this.#unanswered[entry.place].delete(entry);
    entry.over?.resolve();
    this.#unansweredCount -= 1;
    this.#startWaiting();
    if (this.#unansweredCount > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }

  /**
   * Starts what may start. One pass suffices, because a command that ends during it can free only commands later in the
   * pass.
   */
  #startWaiting(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    for (const entry of this.#waiting) {
      if (this.#hasEarlier("ordered", entry)) break; // every lane that waits at all waits for this one
      if (!this.#mayStart(entry)) continue;
      this.#waiting.delete(entry);
      this.#start(entry);
    }
    this.#isStarting = false;
  }
}

function placeOf({ lane, endsRuns = false, letsOthersPass = false }: LaneRule): Place {
  if (endsRuns) return "ending";
  return letsOthersPass ? "control" : lane;
}

function waitsFor({ lane, overtakesLong = false, beginsRun = false }: LaneRule): readonly Place[] {
  const places = WAITS_FOR[lane].filter((place) => !(overtakesLong && place === "long"));
  return beginsRun ? [...places, "ending"] : places;
}
