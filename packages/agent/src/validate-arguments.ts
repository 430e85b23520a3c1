import { Compile } from "typebox/schema";
import { Settings } from "typebox/system";
import { type SchemaError, validationText } from "./argument-errors.ts";
import { repairArguments } from "./argument-repair.ts";
import { prepareArguments, unknownParameters, unknownText } from "./parameter-names.ts";
import type { Tool } from "./types.ts";

// Loaded with the first tool call: compiling schemas is the slowest part of the loop's code to load.

type Args = Record<string, unknown>;
export type Validation =
  /** `note`: what the model has to know about its arguments although the call can run. */
  { ok: true; args: Args; note?: string } | { ok: false; text: string };

/** The compiler stops at eight errors, which would leave most of a long list of numbers as strings. */
const MAX_ERRORS = 1000;

type Errors = (value: unknown) => SchemaError[];
const validators = new WeakMap<object, Errors>();

/** The tool always gets a copy: the history keeps the call as the model sent it. */
export function validateArguments(tool: Tool, sent: Args): Validation {
  const prepared = prepareArguments(tool, sent);
  const unknown = unknownParameters(tool, prepared);
  const { args, errors } = repairArguments(prepared, validatorFor(tool.parameters));
  const isRefused = errors.length > 0 || (unknown.length > 0 && tool.unknownParameters !== "note");
  if (!isRefused) {
    return { ok: true, args, ...(unknown.length > 0 && { note: `[Ignored: ${unknownText(tool, unknown)}.]` }) };
  }
  if (tool.lenientArgValidation) return { ok: true, args: structuredClone(prepared) };
  const misnamed = unknown.length > 0 ? [unknownError(tool, unknown)] : [];
  return { ok: false, text: validationText(tool.name, [...errors, ...misnamed], prepared) };
}

function unknownError(tool: Tool, unknown: readonly string[]): SchemaError {
  return { keyword: "unknown", instancePath: "", message: unknownText(tool, unknown), params: {} };
}

/** Compiles a schema once; the validator reports every error of a value. */
export function validatorFor(schema: object): Errors {
  let errors = validators.get(schema);
  if (!errors) {
    const validator = Compile(schema as never);
    errors = (value) =>
      // Its errors are a union with a member per keyword; only their common fields are read.
      validator.Check(value) ? [] : withManyErrors(() => validator.Errors(value)[1] as unknown as SchemaError[]);
    validators.set(schema, errors);
  }
  return errors;
}

/** The limit is a process-wide setting, so change it only for the duration of one call. */
function withManyErrors<T>(job: () => T): T {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MAX_ERRORS });
  try {
    return job();
  } finally {
    Settings.Set({ maxErrors });
  }
}
