import { questionFrames } from "@pintle/wire";

/** Stands for everything that is sent without a filter. */
const ALL = "*";

/** Not events of the session but the conversation with the host: without them it would wait forever, or act blindly. */
const ALWAYS_SENT: ReadonlySet<string> = new Set([
  "ready",
  "response",
  "prompt_result",
  "session_settled",
  "available_commands_update",
  "command_output",
  "extension_error",
  ...Object.keys(questionFrames),
]);

/** Which events the host wants to hear of. */
export class EventFilter {
  #chosen: ReadonlySet<string> | undefined;

  /** null: what is sent without a filter. Gives the choice as it is then. */
  choose(events: readonly string[] | null): string[] | null {
    this.#chosen = events === null ? undefined : new Set(events);
    return this.#chosen ? [...this.#chosen] : null;
  }

  isWanted(type: string): boolean {
    return !this.#chosen || this.#chosen.has(type) || this.#chosen.has(ALL) || ALWAYS_SENT.has(type);
  }

  /** The host has named it: some events are only sent then. */
  isNamed(type: string): boolean {
    return this.#chosen?.has(type) ?? false;
  }
}
