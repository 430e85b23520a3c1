import type { AgentMessage, Clock, CustomMessage } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { SessionResources } from "../../resources/session-resources.ts";
import { newestNote } from "../conversation/newest-note.ts";
import type { PromptAddition, RunPolicy } from "./policy.ts";

export interface DatePolicyParts {
  resources: Pick<SessionResources, "promptDate" | "today">;
  clock: Clock;
  /** Returns the conversation as the model receives it. */
  messages(): readonly AgentMessage[];
}

const CUSTOM_TYPE = "date-changed";

/**
 * The system prompt keeps the date on which the conversation began, because changing it would invalidate the provider's
 * cache of everything after it. If a conversation continues on another day, a note next to the prompt says so.
 */
export class DatePolicy implements RunPolicy {
  readonly name = "date";
  readonly #parts: DatePolicyParts;
  /** The new date, until it is sent with the prompt. */
  #news: string | undefined;

  constructor(parts: DatePolicyParts) {
    this.#parts = parts;
  }

  async beforeRun(): Promise<void> {
    const { resources, messages } = this.#parts;
    const known = newestDate(messages()) ?? (await resources.promptDate());
    const today = await resources.today();
    this.#news = today === known ? undefined : today;
  }

  onPrompt(): PromptAddition {
    if (this.#news === undefined) return {};
    const note: CustomMessage = {
      role: "custom",
      customType: CUSTOM_TYPE,
      content: `The current date is now ${this.#news}.`,
      display: false,
      details: { date: this.#news },
      attribution: "agent",
      timestamp: this.#parts.clock.now(),
    };
    return { behind: [note] };
  }
}

/** Returns the most recent date in the conversation; a summary may have replaced the note. */
function newestDate(messages: readonly AgentMessage[]): string | undefined {
  const details = newestNote(messages, CUSTOM_TYPE)?.details;
  return isRecord(details) && typeof details.date === "string" ? details.date : undefined;
}
