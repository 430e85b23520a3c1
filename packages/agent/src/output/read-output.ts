import { isRecord } from "@pintle/ai";
import { describeError, pathOf, type SchemaError, withoutSummaries } from "../argument-errors.ts";
import { type OutputViolation, violationText } from "./output-violation.ts";
import { singleKey, unwrapValue } from "./output-wrapper.ts";

/** What the schema's validator reports about a value. */
export type OutputCheck = (value: unknown) => SchemaError[];

export interface ReadingRules {
  check: OutputCheck;
  /** The provider received the schema as the single property of an object. */
  isWrapped: boolean;
  /** The provider received a schema in which optional properties are required and may be null. */
  hasAddedNulls: boolean;
}

export type OutputReading =
  | { kind: "valid"; value: unknown }
  | { kind: "invalid"; value: unknown; errors: OutputViolation[] }
  | { kind: "missing"; errors: OutputViolation[] };

/** Keys that models wrap an output in although the schema has no such property. */
const UNASKED_KEYS = ["output", "result", "value", "structured_output"];
const FENCE = /^```[^\n]*\n([\s\S]*?)\n?```$/;

const MISSING = "must be one JSON value that matches the schema, with no text around it";

/** Reads the output from the text of a message. */
export function readOutputText(text: string, rules: ReadingRules): OutputReading {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "missing", errors: [{ path: "", message: MISSING }] };
  const parsed = parse(trimmed);
  if (parsed) return readOutputValue(parsed.value, rules);
  const fenced = parse(FENCE.exec(trimmed)?.[1] ?? "");
  if (!fenced) return { kind: "missing", errors: [{ path: "", message: MISSING }] };
  return firstValid(rules.isWrapped ? expectedForms(fenced.value) : [fenced.value], rules);
}

/**
 * Reads the output from a value. Tries the requested form first, then removes one level of what models wrap it in: a
 * JSON string, a Markdown fence or a single key.
 */
export function readOutputValue(value: unknown, rules: ReadingRules): OutputReading {
  const expected = rules.isWrapped ? expectedForms(value) : [value];
  return firstValid([...expected, ...expected.flatMap(withoutOneLevel)], rules);
}

/** Without the wrapper first: a schema that accepts any object would also accept the wrapper. */
function expectedForms(value: unknown): unknown[] {
  const inner = unwrapValue(value);
  return inner ? [inner.value, value] : [value];
}

function withoutOneLevel(value: unknown): unknown[] {
  if (typeof value === "string") {
    const parsed = parse(value.trim()) ?? parse(FENCE.exec(value.trim())?.[1] ?? "");
    return parsed ? [parsed.value] : [];
  }
  const inner = singleKey(value, UNASKED_KEYS);
  return inner ? [inner.value] : [];
}

function firstValid(candidates: readonly unknown[], rules: ReadingRules): OutputReading {
  let first: OutputReading | undefined;
  for (const candidate of candidates) {
    const reading = judge(candidate, rules);
    if (reading.kind === "valid") return reading;
    first ??= reading;
  }
  return first ?? { kind: "missing", errors: [{ path: "", message: MISSING }] };
}

function judge(value: unknown, { check, hasAddedNulls }: ReadingRules): OutputReading {
  const errors = check(value);
  if (errors.length === 0) return { kind: "valid", value };
  if (hasAddedNulls) {
    const cleaned = withoutNulls(value, errors);
    const left = cleaned === undefined ? errors : check(cleaned);
    if (cleaned !== undefined && left.length === 0) return { kind: "valid", value: cleaned };
  }
  return { kind: "invalid", value, errors: violationsOf(errors) };
}

/** Returns a copy without the nulls that the original schema refuses, or undefined if there are none. */
function withoutNulls(value: unknown, errors: readonly SchemaError[]): unknown {
  const copy = structuredClone(value);
  let isChanged = false;
  for (const error of errors) {
    const path = pathOf(error);
    const key = path.pop();
    const parent = path.reduce<unknown>((at, step) => (isContainer(at) ? Reflect.get(at, step) : undefined), copy);
    if (key === undefined || !isRecord(parent) || parent[key] !== null) continue;
    delete parent[key];
    isChanged = true;
  }
  return isChanged ? copy : undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

const MAX_VIOLATIONS = 100;

function violationsOf(errors: readonly SchemaError[]): OutputViolation[] {
  const found = withoutSummaries(errors).flatMap((error) =>
    describeError(error, errors).map(([name, message]) => ({
      path: name === undefined ? error.instancePath : `${error.instancePath}/${pointerStep(name)}`,
      message,
    })),
  );
  return [...new Map(found.map((violation) => [violationText(violation), violation])).values()].slice(
    0,
    MAX_VIOLATIONS,
  );
}

function pointerStep(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
