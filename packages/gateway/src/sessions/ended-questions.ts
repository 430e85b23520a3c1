import type { QuestionState } from "@pintle/wire";

interface EndedQuestion {
  state: Extract<QuestionState, "answered" | "ended">;
  /** The host whose answer was taken. */
  hostId: number | undefined;
}

/** The maximum number of ids; the oldest are forgotten. */
const MAX_IDS = 1024;

/** Remembers how the questions and calls of a session ended, so that a host can learn why its answer has no effect. */
export class EndedQuestions {
  readonly #byId = new Map<string, EndedQuestion>();

  answered(id: string, hostId: number): void {
    this.#add(id, { state: "answered", hostId });
  }

  /** Records an end by an abort, a deadline or the end of the engine. An answered question stays answered. */
  ended(id: string): void {
    if (!this.#byId.has(id)) this.#add(id, { state: "ended", hostId: undefined });
  }

  stateOf(id: string): Exclude<QuestionState, "open"> {
    return this.#byId.get(id)?.state ?? "unknown";
  }

  answeredBy(id: unknown): number | undefined {
    return typeof id === "string" ? this.#byId.get(id)?.hostId : undefined;
  }

  #add(id: string, ended: EndedQuestion): void {
    this.#byId.set(id, ended);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MAX_IDS && oldest !== undefined) this.#byId.delete(oldest);
  }
}
