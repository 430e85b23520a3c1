import type OpenAI from "openai";
import type { Usage } from "../../messages.ts";
import type { Model } from "../../model.ts";
import { toStreamError } from "../../transport/error-response.ts";
import type { ServerEvent } from "../../transport/sse.ts";
import { toUsage } from "../../usage.ts";
import { notAnObject, parseObject, textOf, tokenCount } from "../wire-values.ts";
import { toResponsesError } from "./errors.ts";

// The SDK's types describe what the vendor sends today. Other servers with this API omit fields, hence the guards.
export type WireEvent = OpenAI.Responses.ResponseStreamEvent;
export type WireItem = OpenAI.Responses.ResponseOutputItem;
export type WireResponse = Partial<OpenAI.Responses.Response> | null | undefined;

/** An error may lack a type; event types added later are ignored. */
export function refuseErrors(wire: object, { event }: ServerEvent): void {
  const error = toStreamError(wire) ?? (event === "error" ? toResponsesError(wire) : undefined);
  if (error) throw error;
}

export function parseEvent({ event, data }: ServerEvent): WireEvent | undefined {
  if (data === "" || data === "[DONE]") return undefined;
  const wire = parseObject(data);
  if (wire) return wire as WireEvent;
  throw event === "error" ? toResponsesError(data) : notAnObject(data);
}

/** The parts of a message or summary are its paragraphs. */
export function partsText(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  const texts = parts.map((part: { text?: unknown; refusal?: unknown } | null) => textOf(part?.text ?? part?.refusal));
  return texts.filter((text) => text !== "").join("\n\n");
}

/**
 * `input_tokens` includes tokens read from and written to the cache; our counts are disjoint. Output includes
 * reasoning.
 */
export function readUsage(model: Model, usage: Partial<OpenAI.Responses.ResponseUsage>): Usage {
  const cacheRead = tokenCount(usage.input_tokens_details?.cached_tokens);
  const cacheWrite = tokenCount(usage.input_tokens_details?.cache_write_tokens);
  return toUsage(model, {
    input: Math.max(0, tokenCount(usage.input_tokens) - cacheRead - cacheWrite),
    output: tokenCount(usage.output_tokens),
    cacheRead,
    cacheWrite,
    reasoning: tokenCount(usage.output_tokens_details?.reasoning_tokens),
  });
}
