import { questionFrames } from "@pintle/wire";

/** Represents all events that are sent without a filter. */
const ALL = "*";

/**
 * Frames that are not events of the session but part of the conversation with the host. Without them, it would wait forever
 * or miss changes.
 */
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

/** The events that the host wants. */
export class EventFilter {
  #chosen: ReadonlySet<string> | undefined;

  /** Sets the filter; null removes it. Returns the resulting filter. */
  choose(events: readonly string[] | null): string[] | null {
    this.#chosen = events === null ? undefined : new Set(events);
    return this.#chosen ? [...this.#chosen] : null;
  }

  isWanted(type: string): boolean {
    return !this.#chosen || this.#chosen.has(type) || this.#chosen.has(ALL) || ALWAYS_SENT.has(type);
  }

  /** Whether the host has named this event. Some events are sent only then. */
  isNamed(type: string): boolean {
    return this.#chosen?.has(type) ?? false;
  }
}
