import { cutText } from "@pintle/ai";

/** What the schema compiler reports about one value. */
export interface SchemaError {
  keyword: string;
  /** JSON pointer; empty for the arguments as a whole. */
  instancePath: string;
  message: string;
  params: {
    type?: string | string[];
    requiredProperties?: string[];
    unevaluatedProperties?: string[];
    allowedValues?: unknown[];
    allowedValue?: unknown;
  };
}

const SHOWN_CHARS = 4000;
const SHOWN_ERRORS = 20;

/** An error about a whole value that repeats errors about its parts. */
const SUMMARIES = new Set(["anyOf", "oneOf", "additionalProperties", "propertyNames"]);

/** Formats invalid arguments for the model: where, why, and what it sent. */
export function validationText(toolName: string, errors: readonly SchemaError[], sent: unknown): string {
  const lines = errorLines(errors);
  const more = lines.length > SHOWN_ERRORS ? [`  … and ${lines.length - SHOWN_ERRORS} more`] : [];
  return [
    `Validation failed for tool "${toolName}":`,
    ...lines.slice(0, SHOWN_ERRORS),
    ...more,
    "",
    "Received arguments:",
    shorten(JSON.stringify(sent, null, 2)),
  ].join("\n");
}

export function pathOf({ instancePath }: SchemaError): string[] {
  if (instancePath === "") return [];
  return instancePath
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Removes errors about a whole value whose parts have errors of their own. */
export function withoutSummaries(errors: readonly SchemaError[]): SchemaError[] {
  return errors.filter((error) => !SUMMARIES.has(error.keyword) || !errors.some((other) => isPart(other, error)));
}

function errorLines(errors: readonly SchemaError[]): string[] {
  const lines: string[] = [];
  for (const error of withoutSummaries(errors)) {
    const path = pathOf(error);
    for (const [name, message] of describeError(error, errors)) {
      const place = name === undefined ? path : [...path, name];
      lines.push(`  - ${place.length === 0 ? "root" : place.join(".")}: ${message}`);
    }
  }
  return [...new Set(lines)];
}

function isPart(other: SchemaError, summary: SchemaError): boolean {
  if (SUMMARIES.has(other.keyword)) return false;
  return other.instancePath === summary.instancePath || other.instancePath.startsWith(`${summary.instancePath}/`);
}

/** Pairs of a property name, if the error concerns one, and a message. */
export function describeError({ keyword, params, message, instancePath }: SchemaError, all: readonly SchemaError[]) {
  const pairs: [string | undefined, string][] = [];
  const namely = (names: readonly string[], text: string) => {
    for (const name of names) pairs.push([name, text]);
  };
  if (params.requiredProperties) namely(params.requiredProperties, "is required");
  else if (params.unevaluatedProperties) namely(params.unevaluatedProperties, "is not allowed");
  else if (keyword === "boolean") pairs.push([undefined, "is not allowed"]);
  else if (params.allowedValues) pairs.push([undefined, oneOf(params.allowedValues)]);
  else if (keyword === "const") {
    // A choice of constants is a list of values, wherever the schema's author put them.
    const here = all.filter((other) => other.keyword === "const" && other.instancePath === instancePath);
    pairs.push([undefined, oneOf(here.map((other) => other.params.allowedValue))]);
  } else pairs.push([undefined, message]);
  return pairs;
}

function oneOf(values: readonly unknown[]): string {
  const shown = [...new Set(values.map((value) => JSON.stringify(value)))].join(", ");
  return values.length === 1 ? `must be ${shown}` : `must be one of ${shown}`;
}

function shorten(json: string): string {
  return cutText(json, SHOWN_CHARS);
}
