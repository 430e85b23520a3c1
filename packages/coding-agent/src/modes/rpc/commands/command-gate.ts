/** What may wait, with its place in the queue. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** About what one waiting command takes besides its line. */
const PLACE_BYTES = 512;

interface Waiting {
  start(): void;
  bytes: number;
}

/**
 * Delays commands while the host does not read its output: their responses would only add to it. They start in the
 * order they arrived. Control commands and answers to questions do not pass here.
 */
export class CommandGate {
  readonly #isBehind: () => boolean;
  #waiting: Waiting[] = [];
  #head = 0;
  #bytes = 0;
  #isOpening = false;
  #whenEmpty: PromiseWithResolvers<void> | undefined;

  /** `isBehind`: the host has not read what it should have. When that changes, `open` is to be called. */
  constructor(isBehind: () => boolean) {
    this.#isBehind = isBehind;
  }

  /** Whether a command of that many bytes may be passed now. */
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

  /** Lets through what may start by now; each of them may fill the output again. */
  open(): void {
    if (this.#isOpening) return;
    this.#isOpening = true;
    while (this.#head < this.#waiting.length && !this.#isBehind()) this.#take().start();
    this.#isOpening = false;
    this.#announceIfEmpty();
  }

  /** The host is gone: nothing that waits can be answered any more, so nothing of it starts. */
  forget(): void {
    this.#waiting = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#announceIfEmpty();
  }

  /** Resolves when nothing waits. Returns undefined if nothing does. */
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
