import { nearestName } from "./lists/nearest-name.ts";

export interface LocalCommand {
  /** Without the slash. */
  name: string;
  description: string;
  /** The placeholder for its argument. */
  hint?: string;
  /** `rest` is the text after the name. */
  run(rest: string): unknown;
}

interface SessionCommand {
  name: string;
  aliases?: readonly string[];
}

/** The meaning of a line from the editor. */
export type Meaning =
  | { kind: "message"; text: string }
  | { kind: "local"; name: string; rest: string }
  /** Its meaning is known only when the session has listed its commands. */
  | { kind: "undecided" }
  | { kind: "unknown"; name: string; nearest: string | undefined };

/** A path such as `/etc/hosts` has a second slash and does not match. */
const COMMAND = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/;

/** The terminal's own slash commands, and the names of the session's. */
export class LocalCommands {
  readonly #byName = new Map<string, LocalCommand>();
  /** Undefined until the session has listed its commands; until then, any name may be a command. */
  #ofSession: readonly SessionCommand[] | undefined;
  readonly #listeners: (() => void)[] = [];

  add(command: LocalCommand): void {
    this.#byName.set(command.name, command);
  }

  get all(): LocalCommand[] {
    return [...this.#byName.values()];
  }

  useSessionCommands(commands: readonly SessionCommand[] | undefined): void {
    this.#ofSession = commands;
    for (const listener of this.#listeners) listener();
  }

  /** The listener is called whenever the session has listed its commands. */
  onListed(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Runs a command as if the user had typed it. Does nothing if it does not exist. */
  async run(name: string, rest = ""): Promise<void> {
    await this.#byName.get(name)?.run(rest);
  }

  /** A leading space or a second slash sends the text literally: the session treats only a leading slash as a command. */
  meaningOf(text: string): Meaning {
    if (text.startsWith("//")) return { kind: "message", text: ` ${text.slice(1)}` };
    const match = COMMAND.exec(text.trimEnd());
    const name = match?.[1];
    if (name === undefined) return { kind: "message", text };
    if (this.#byName.has(name)) return { kind: "local", name, rest: match?.[2]?.trim() ?? "" };
    if (!this.#ofSession) return { kind: "undecided" };
    const names = this.#ofSession.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
    if (names.includes(name)) return { kind: "message", text };
    return { kind: "unknown", name, nearest: nearestName(name, [...this.#byName.keys(), ...names]) };
  }
}
