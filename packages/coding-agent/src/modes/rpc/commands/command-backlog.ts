/** A waiting command and its place in the queue. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Approximate size of a waiting command in addition to its line. */
const PLACE_BYTES = 512;

interface Waiting {
  start(): void;
  bytes: number;
}

/**
 * Delays commands while the host does not read its output, because their responses would only add to it. They start in order
 * of arrival. Control commands and answers to questions bypass it.
 */
export class CommandBacklog {
  readonly #isBehind: () => boolean;
  #waiting: Waiting[] = [];
  #head = 0;
  #bytes = 0;
  #isOpening = false;
  #whenEmpty: PromiseWithResolvers<void> | undefined;

  /** `isBehind` returns whether the host has too much unread output. When that changes, `open` must be called. */
  constructor(isBehind: () => boolean) {
    this.#isBehind = isBehind;
  }

  /** Whether a command of this size can be accepted now. */
  hasRoom(bytes: number): boolean {
    return !this.#isShut || this.#bytes + bytes + PLACE_BYTES <= MAX_WAITING_BYTES;
  }

  pass(start: () => void, bytes: number): void {
    if (!this.#isShut) {
      start();
      return;
    }
    this.#waiting.push({ start, bytes: bytes + PLACE_BYTES });
    this.#bytes += bytes + PLACE_BYTES;
  }

  /** Lets commands through one by one, because each may fill the output again. */
  open(): void {
    if (this.#isOpening) return;
    this.#isOpening = true;
    while (this.#head < this.#waiting.length && !this.#isBehind()) this.#take().start();
    this.#isOpening = false;
    this.#announceIfEmpty();
  }

  /** Drops waiting commands when the host is gone, because they cannot be answered. */
  forget(): void {
    this.#waiting = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#announceIfEmpty();
  }

  /** Resolves when no command is waiting. Returns undefined if none is. */
  empty(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return undefined;
    this.#whenEmpty ??= Promise.withResolvers();
    return this.#whenEmpty.promise;
  }

  get #isShut(): boolean {
    return this.#waiting.length > 0 || this.#isBehind();
  }

  #take(): Waiting {
    const first = this.#waiting[this.#head]!;
    this.#head += 1;
    this.#bytes -= first.bytes;
    if (this.#head === this.#waiting.length) this.#waiting = [];
    if (this.#waiting.length === 0) this.#head = 0;
    return first;
  }

  #announceIfEmpty(): void {
    if (this.#waiting.length > 0) return;
    this.#whenEmpty?.resolve();
    this.#whenEmpty = undefined;
  }
}
