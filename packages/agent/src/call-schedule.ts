import type { Concurrency } from "./types.ts";

/** The facts that the schedule needs about a call. */
export interface ScheduledCall {
  readonly concurrency: Concurrency;
  /** Calls with the same key start in their order. */
  readonly serializeOn: readonly string[];
}

/**
 * Names the kinds of earlier calls that a call waits for. Reads and commands run together; a write sees the effects of
 * the commands before it, and everything after a write sees the write. Writes wait for each other only if they have the
 * same key.
 */
const WAITS_FOR: Readonly<Record<Concurrency, readonly Concurrency[]>> = {
  shared: ["write", "exclusive"],
  read: ["write", "exclusive"],
  command: ["write", "exclusive"],
  write: ["read", "command", "exclusive"],
  exclusive: ["shared", "read", "command", "write", "exclusive"],
};

/** Orders calls with the same origin: those of one message, or those that one tool makes. */
export class CallSchedule {
  readonly #slots: CommandSlots;
  /** The calls that have not ended, in their order. */
  readonly #open = new Map<ScheduledCall, Promise<unknown>>();

  constructor(slots: CommandSlots) {
    this.#slots = slots;
  }

  /** Starts the call as soon as the earlier calls it waits for have ended and, for a command, a slot is free. */
  async add<R>({ concurrency, serializeOn }: ScheduledCall, start: () => Promise<R>): Promise<R> {
    const call = { concurrency, serializeOn }; // Both may be computed from the arguments.
    const predecessors = [...this.#open].flatMap(([earlier, ended]) => (waits(call, earlier) ? [ended] : []));
    const begin = () => (concurrency === "command" ? this.#slots.run(start) : start());
    const ended = predecessors.length === 0 ? begin() : Promise.all(predecessors).then(begin);
    this.#open.set(call, ended);
    try {
      return await ended;
    } finally {
      this.#open.delete(call);
    }
  }
}

function waits(later: ScheduledCall, earlier: ScheduledCall): boolean {
  if (WAITS_FOR[later.concurrency].includes(earlier.concurrency)) return true;
  return later.serializeOn.some((key) => earlier.serializeOn.includes(key));
}

/** Runs at most `limit` commands at once (0: no limit); the others wait in the order in which they arrived. */
export class CommandSlots {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit = 0) {
    this.#limit = limit;
  }

  async run<R>(command: () => Promise<R>): Promise<R> {
    if (this.#limit === 0 || this.#running < this.#limit) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve)); // takes over the slot of the one that ended
    try {
      return await command();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
