/** The response to a command with a key; `tail` is the response without its id. */
interface KeyedCommand {
  tail?: string;
  /** Callbacks of repetitions that arrived before the response. */
  waiting: ((tail: string) => void)[];
}

/** The limit keeps a host that never repeats a key from filling the memory. */
const MAX_KEYS = 4096;

/** Ensures that a command that is sent again with its key is not executed again: it receives the first response. */
export class CommandKeys {
  readonly #commands = new Map<string, KeyedCommand>();

  /**
   * Returns true if the command is new and must be executed. Otherwise `answer` receives the response, now or later.
   */
  claim(key: string, answer: (tail: string) => void): boolean {
    const known = this.#commands.get(key);
    if (known?.tail !== undefined) answer(known.tail);
    else known?.waiting.push(answer);
    if (known) return false;
    this.#makeRoom();
    this.#commands.set(key, { waiting: [] });
    return true;
  }

  /** Forgets a command that was not executed here. Waiting repetitions receive `tail`; the next one is executed. */
  release(key: string, tail: string): void {
    const command = this.#commands.get(key);
    this.#commands.delete(key);
    for (const answer of command?.waiting ?? []) answer(tail);
  }

  /** Restores the response of a command that an earlier owner of the session executed. */
  remember(key: string, tail: string): void {
    this.#commands.set(key, { tail, waiting: [] });
  }

  /** Stores a response. A prompt may be answered twice; its late failure replaces the first response. */
  answered(key: string, tail: string): void {
    const command = this.#commands.get(key);
    if (!command) return;
    command.tail = tail;
    for (const answer of command.waiting.splice(0)) answer(tail);
  }

  /** Removes the oldest answered commands. */
  #makeRoom(): void {
    if (this.#commands.size < MAX_KEYS) return;
    for (const [key, { tail }] of this.#commands) {
      if (tail === undefined) continue;
      this.#commands.delete(key);
      return;
    }
  }
}
