/** How long an address must wait after too many failures, and how long failures are remembered. */
const PAUSE_MS = 60_000;
/** The most addresses to remember; the ones that failed least recently are forgotten. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  /** The time of the first counted failure, or the start of the pause. */
  since: number;
}

/** Counts wrong tokens per address. */
export class AuthFailures {
  readonly #max: number;
  readonly #now: () => number;
  readonly #byAddress = new Map<string, Failures>();
  #total = 0;

  /** With a `max` of 0, no address ever waits. */
  constructor(max: number, now: () => number = performance.now.bind(performance)) {
    this.#max = max;
    this.#now = now;
  }

  /** The failures of all addresses since the start. */
  get total(): number {
    return this.#total;
  }

  /** Returns how long the address still has to wait; 0 if it may try. */
  pauseMs(address: string): number {
    const failures = this.#recent(address);
    if (!failures || this.#max === 0 || failures.count < this.#max) return 0;
    return failures.since + PAUSE_MS - this.#now();
  }

  add(address: string): void {
    this.#total += 1;
    const key = network(address);
    const count = (this.#recent(address)?.count ?? 0) + 1;
    this.#byAddress.delete(key); // keep the map ordered by the last failure
    this.#byAddress.set(key, { count, since: this.#now() });
    if (this.#byAddress.size > MAX_ADDRESSES)
      for (const oldest of this.#byAddress.keys()) return void this.#byAddress.delete(oldest);
  }

  #recent(address: string): Failures | undefined {
    const key = network(address);
    const failures = this.#byAddress.get(key);
    if (!failures || failures.since + PAUSE_MS > this.#now()) return failures;
    this.#byAddress.delete(key);
    return undefined;
  }
}

/** Groups IPv6 addresses by network, because a single host can use 2^64 addresses. */
function network(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const missing = address.includes("::") ? 8 - groups.length - tail.split(":").filter(Boolean).length : 0;
  return [...groups, ...Array<string>(missing).fill("0"), ...tail.split(":")].slice(0, 4).join(":");
}
