import { toText } from "../../../extensibility/ui/no-ui.ts";
import type { SelectOption } from "../../../extensibility/ui/ui.ts";

// Converts whatever extensions pass to the types of the protocol.

/** The longest delay of a timer, and more than enough for a wait. */
const MAX_TIMEOUT_MS = 86_400_000;

export function toOptions(options: readonly (string | SelectOption)[]) {
  const items = options.map(
    (option): SelectOption => (Object(option) === option ? (option as SelectOption) : { label: toText(option) }),
  );
  const details = items.map(({ description }) => toOptionalText({ description }));
  return {
    options: items.map(({ label }) => toText(label)),
    ...(details.some(({ description }) => description !== undefined) && { optionDetails: details }),
  };
}

/** Returns whole milliseconds, as the protocol requires, or undefined if the extension sets no valid limit. */
export function toTimeout(timeout: unknown): number | undefined {
  if (typeof timeout !== "number" || !(timeout > 0)) return undefined;
  return Math.min(Math.ceil(timeout), MAX_TIMEOUT_MS);
}

/** Returns the fields that have a value, as strings. */
export function toOptionalText<K extends string>(fields: Record<K, unknown>): { [P in K]?: string } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([key, value]) => [key, toText(value)])) as { [P in K]?: string };
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}
