import type { Model } from "../model.ts";
import type { ModelContext, RequestOptions } from "../protocols/protocol.ts";
import type { ThinkingLevel } from "../thinking.ts";
import type { Fetch } from "../transport/http.ts";

/** How a request is made, in the words of pi's stream functions. */
export interface ForeignStreamOptions extends Omit<RequestOptions, "thinkingLevel"> {
  signal: AbortSignal;
  /** Absent: the model is not to think. */
  reasoning?: Exclude<ThinkingLevel, "off">;
  fetch?: Fetch;
}

/**
 * Calls a model in a way of its own and gives the events of its answer. It comes from a module of the user's and is shaped
 * like the stream functions of pi: nothing of what it gives is certain.
 */
export type ForeignStream = (model: Model, context: ModelContext, options: ForeignStreamOptions) => unknown;
