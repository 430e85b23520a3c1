/** What a command with a key was answered; `tail` is the response behind its id. */
interface KeyedCommand {
  tail?: string;
  /** Repeats that came before there was an answer. */
  waiting: ((tail: string) => void)[];
}

/** More would let a host that never repeats fill the memory. */
const MAX_KEYS = 4096;

/** A command that is sent again with its key is not executed again: it gets the first one's response. */
export class CommandKeys {
  readonly #commands = new Map<string, KeyedCommand>();

  /** True: the command is new and must be executed. Otherwise `answer` gets the response, now or when there is one. */
  claim(key: string, answer: (tail: string) => void): boolean {
    const known = this.#commands.get(key);
    if (known?.tail !== undefined) answer(known.tail);
    else known?.waiting.push(answer);
    if (known) return false;
    this.#makeRoom();
    this.#commands.set(key, { waiting: [] });
    return true;
  }

  /** The command was not executed here. Repeats that wait get `tail`; the next one is executed. */
  release(key: string, tail: string): void {
    const command = this.#commands.get(key);
    this.#commands.delete(key);
    for (const answer of command?.waiting ?? []) answer(tail);
  }

  /** Answered in another life of the session. */
  remember(key: string, tail: string): void {
    this.#commands.set(key, { tail, waiting: [] });
  }

  /** A prompt may be answered twice: its late failure is what counts then. */
  answered(key: string, tail: string): void {
    const command = this.#commands.get(key);
    if (!command) return;
    command.tail = tail;
    for (const answer of command.waiting.splice(0)) answer(tail);
  }

  /** The oldest answered ones go. */
  #makeRoom(): void {
    if (this.#commands.size < MAX_KEYS) return;
    for (const [key, { tail }] of this.#commands) {
      if (tail === undefined) continue;
      this.#commands.delete(key);
      return;
    }
  }
}
