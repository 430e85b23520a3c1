import type { FormField } from "./form-fields.ts";

type TextField = Extract<FormField, { kind: "text" }>;
type NumberField = Extract<FormField, { kind: "number" }>;

export type Checked<T> = { value: T } | { problem: string };

/** Checks the shape of formatted strings; the server checks the rest. */
const FORMATS: Readonly<Record<string, { name: string; fits(text: string): boolean }>> = {
  email: { name: "an e-mail address", fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { name: "an address such as https://example.com", fits: (text) => URL.canParse(text) },
  date: {
    name: "a date such as 2026-01-31",
    fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text),
  },
  "date-time": {
    name: "a date and time such as 2026-01-31T09:30:00Z",
    fits: (text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(text) && isDate(text),
  },
};

export function checkText({ minLength, maxLength, format }: TextField, text: string): Checked<string> {
  const length = [...text].length;
  if (length < minLength) return { problem: `at least ${minLength} characters are needed` };
  if (length > maxLength) return { problem: `at most ${maxLength} characters are possible` };
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known && !known.fits(text) ? { problem: `it must be ${known.name}` } : { value: text };
}

export function checkNumber({ isInteger, minimum, maximum }: NumberField, text: string): Checked<number> {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return { problem: "it must be a number" };
  if (isInteger && !Number.isInteger(value)) return { problem: "it must be a whole number" };
  if (value < minimum) return { problem: `it must be at least ${minimum}` };
  return value > maximum ? { problem: `it must be at most ${maximum}` } : { value };
}

/** Describes valid answers; empty if that was already stated. */
export function describeLimits(field: FormField): string {
  if (field.kind === "number") {
    const { minimum, maximum, isInteger } = field;
    const bounds = [
      ...(Number.isFinite(minimum) ? [`from ${minimum}`] : []),
      ...(Number.isFinite(maximum) ? [`up to ${maximum}`] : []),
    ];
    return [isInteger ? "a whole number" : "a number", ...bounds].join(" ");
  }
  if (field.kind === "text") return Object.hasOwn(FORMATS, field.format) ? FORMATS[field.format]!.name : "";
  return "";
}

function isDate(text: string): boolean {
  const time = Date.parse(text);
  // `Date` reads the 31st of February as the 3rd of March.
  return !Number.isNaN(time) && (text.length > 10 || new Date(time).toISOString().startsWith(text));
}
