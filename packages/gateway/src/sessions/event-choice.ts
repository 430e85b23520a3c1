import { questionFrames } from "@pintle/wire";

/** Selects everything that is sent without a filter. */
const ALL = "*";

/** Frames that no filter removes, because without them the host would wait forever or act without information. */
const ALWAYS_SENT: ReadonlySet<string> = new Set([
  "prompt_result",
  "session_settled",
  "available_commands_update",
  "command_output",
  "extension_error",
  "worker_exited",
  "session_failed",
  "session_closed",
  "session_moved",
  "run_interrupted",
  ...Object.keys(questionFrames),
]);

/** Events that are sent only to hosts that name them. */
export const ONLY_IF_NAMED: readonly string[] = ["entry_appended", "message_appended", "bash_execution_update"];
const OPTIONAL: ReadonlySet<string> = new Set(ONLY_IF_NAMED);

const UPDATES: ReadonlySet<string> = new Set(["message_update", "tool_execution_update"]);

/** Whether an event belongs to something that is still in progress. `settled` omits those. */
const isUnfinished = (type: string) => UPDATES.has(type) || type.endsWith("_start");

export type EventPreset = "all" | "settled" | "none";

/** The events that a host receives. */
export class EventChoice {
  #preset: EventPreset = "all";
  #named: ReadonlySet<string> | undefined;

  prefer(preset: EventPreset): void {
    this.#preset = preset;
    this.#named = undefined;
  }

  /** Sets the filter; null restores the default. Returns the resulting choice. */
  choose(events: readonly string[] | null): string[] | null {
    this.#preset = "all";
    this.#named = events === null ? undefined : new Set(events);
    return this.#named ? [...this.#named] : null;
  }

  isWanted(type: string): boolean {
    if (OPTIONAL.has(type)) return this.#named?.has(type) ?? false;
    if (ALWAYS_SENT.has(type)) return true;
    if (this.#named) return this.#named.has(type) || this.#named.has(ALL);
    return this.#preset === "all" || (this.#preset === "settled" && !isUnfinished(type));
  }
}
