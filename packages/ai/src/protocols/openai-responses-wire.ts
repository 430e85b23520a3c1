import type OpenAI from "openai";
import { toStreamError } from "../transport/error-response.ts";
import type { ServerEvent } from "../transport/sse.ts";
import { toResponsesError } from "./openai-responses-errors.ts";
import { notAnObject, parseObject, textOf } from "./wire-values.ts";

// The SDK's types say what the vendor sends today. Other servers that speak this API leave things out, hence the guards.
export type WireEvent = OpenAI.Responses.ResponseStreamEvent;
export type WireItem = OpenAI.Responses.ResponseOutputItem;
export type WireResponse = Partial<OpenAI.Responses.Response> | null | undefined;

/** An error may come without a type; whatever the vendor adds next is ignored. */
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

/** The parts of a message or a summary are its paragraphs. */
export function partsText(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  const texts = parts.map((part: { text?: unknown; refusal?: unknown } | null) => textOf(part?.text ?? part?.refusal));
  return texts.filter((text) => text !== "").join("\n\n");
}
