import { toText } from "../../../extensibility/ui/no-ui.ts";
import type { SelectOption } from "../../../extensibility/ui/ui.ts";

// Extensions pass what they like; the wire gets what the protocol says.

/** No timer takes more than this, and no wait should. */
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

/** Whole milliseconds, as the protocol wants them; undefined when the extension sets no usable limit. */
export function toTimeout(timeout: unknown): number | undefined {
  if (typeof timeout !== "number" || !(timeout > 0)) return undefined;
  return Math.min(Math.ceil(timeout), MAX_TIMEOUT_MS);
}

/** The fields that have a value, as text. */
export function toOptionalText<K extends string>(fields: Record<K, unknown>): { [P in K]?: string } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([key, value]) => [key, toText(value)])) as { [P in K]?: string };
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}
