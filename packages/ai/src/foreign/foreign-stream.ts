import type { Model } from "../model.ts";
import type { ModelContext, RequestOptions } from "../protocols/protocol.ts";
import type { ThinkingLevel } from "../thinking.ts";
import type { Fetch } from "../transport/http.ts";

/** The options of one request, with the names that pi's stream functions use. */
export interface ForeignStreamOptions extends Omit<RequestOptions, "thinkingLevel"> {
  signal: AbortSignal;
  /** Absent if the model must not think. */
  reasoning?: Exclude<ThinkingLevel, "off">;
  fetch?: Fetch;
}

/**
 * Calls a model with custom code and returns the events of its answer. It comes from a user's module and has the shape
 * of pi's stream functions, so nothing it returns can be trusted.
 */
export type ForeignStream = (model: Model, context: ModelContext, options: ForeignStreamOptions) => unknown;
