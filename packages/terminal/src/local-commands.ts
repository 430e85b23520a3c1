export interface LocalCommand {
  /** Without the slash. */
  name: string;
  description: string;
  /** What may stand behind it, in a word. */
  hint?: string;
  /** `rest` is what stands behind the name. */
  run(rest: string): void | Promise<void>;
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

  /** Undefined: the text is no command of the terminal. */
  find(text: string): { command: LocalCommand; rest: string } | undefined {
    const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim());
    const command = this.#byName.get(match?.[1] ?? "");
    return command && { command, rest: match?.[2]?.trim() ?? "" };
  }
}
