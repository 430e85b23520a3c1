import { ProviderError } from "../errors.ts";
import { cutText } from "../foundation/cut-text.ts";

// Helpers with which decoders read server data, none of which can be trusted.

const SHOWN_DATA = 200;

/** Parses the data of one event. Returns undefined if it is not a JSON object. */
export function parseObject(data: string): object | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function notAnObject(data: string): ProviderError {
  const shown = cutText(data, SHOWN_DATA);
  return new ProviderError("protocol", `The server sent an event that is not a JSON object: ${JSON.stringify(shown)}`);
}

/** Types come from the network: one named `constructor` must not find Object's. */
export function ownEntry<T extends object, K extends keyof T>(table: T, key: K | undefined): T[K] | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function tokenCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
