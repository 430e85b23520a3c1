export interface LocalCommand {
  /** Without the slash. */
  name: string;
  description: string;
  /** What may stand behind it, in a word. */
  hint?: string;
  /** `rest` is what stands behind the name. */
  run(rest: string): unknown;
}

/** Slash commands that the terminal carries out itself; all others go to the session as they were typed. */
export class LocalCommands {
  readonly #byName = new Map<string, LocalCommand>();

  add(command: LocalCommand): void {
    this.#byName.set(command.name, command);
  }

  get all(): LocalCommand[] {
    return [...this.#byName.values()];
  }

  /** By its name, as if it had been typed. Without such a command nothing happens. */
  async run(name: string, rest = ""): Promise<void> {
    await this.#byName.get(name)?.run(rest);
  }

  /** Undefined: the text is no command of the terminal. */
  find(text: string): { name: string; rest: string } | undefined {
    const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim());
    const name = match?.[1];
    return name !== undefined && this.#byName.has(name) ? { name, rest: match?.[2]?.trim() ?? "" } : undefined;
  }
}
