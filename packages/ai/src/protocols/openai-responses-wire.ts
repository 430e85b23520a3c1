import type OpenAI from "openai";
import { ProviderError } from "../errors.ts";
import { toStreamError } from "../transport/error-response.ts";
import type { ServerEvent } from "../transport/sse.ts";
import { toResponsesError } from "./openai-responses-errors.ts";

// The SDK's types say what the vendor sends today. Other servers that speak this API leave things out, hence the guards.
export type WireEvent = OpenAI.Responses.ResponseStreamEvent;
export type WireItem = OpenAI.Responses.ResponseOutputItem;
export type WireResponse = Partial<OpenAI.Responses.Response> | null | undefined;

/** An error may come without a type; whatever the vendor adds next is ignored. */
export function refuseErrors(wire: object, { event }: ServerEvent): void {
  const error = toStreamError(wire) ?? (event === "error" ? toResponsesError(wire) : undefined);
  if (error) throw error;
}

const SHOWN_DATA = 200;

export function parseEvent({ event, data }: ServerEvent): WireEvent | undefined {
  if (data === "" || data === "[DONE]") return undefined;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === "object" && value !== null) return value as WireEvent;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (event === "error") throw toResponsesError(data);
  const shown = data.length > SHOWN_DATA ? `${data.slice(0, SHOWN_DATA).toWellFormed()}…` : data;
  throw new ProviderError("protocol", `The server sent an event that is not a JSON object: ${JSON.stringify(shown)}`);
}

/** Types come from the network: one that is called `constructor` must not find Object's. */
export function ownEntry<T extends object, K extends keyof T>(table: T, key: K | undefined): T[K] | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The parts of a message or a summary are its paragraphs. */
export function partsText(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  const texts = parts.map((part: { text?: unknown; refusal?: unknown } | null) => textOf(part?.text ?? part?.refusal));
  return texts.filter((text) => text !== "").join("\n\n");
}
