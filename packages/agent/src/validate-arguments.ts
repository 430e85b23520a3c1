import { Compile } from "typebox/schema";
import { Settings } from "typebox/system";
import { type SchemaError, validationText } from "./argument-errors.ts";
import { repairArguments } from "./argument-repair.ts";
import type { Tool } from "./types.ts";

// Loaded with the first tool call: compiling schemas is the slowest part of the loop's code to load.

type Args = Record<string, unknown>;
export type Validation = { ok: true; args: Args } | { ok: false; text: string };

/** The compiler stops at eight errors, which would leave most of a long list of numbers as strings. */
const MAX_ERRORS = 1000;

type Errors = (value: unknown) => SchemaError[];
const validators = new WeakMap<object, Errors>();

/** What the tool gets is always a copy: history keeps the call as the model sent it. */
export function validateArguments(tool: Tool, sent: Args): Validation {
  const { args, errors } = repairArguments(sent, validatorFor(tool.parameters));
  if (errors.length === 0) return { ok: true, args };
  if (tool.lenientArgValidation) return { ok: true, args: structuredClone(sent) };
  return { ok: false, text: validationText(tool.name, errors, sent) };
}

function validatorFor(schema: object): Errors {
  let errors = validators.get(schema);
  if (!errors) {
    const validator = Compile(schema as never);
    errors = (value) =>
      // Its errors are a union with a member per keyword; of each only what all have in common is read.
      validator.Check(value) ? [] : withManyErrors(() => validator.Errors(value)[1] as unknown as SchemaError[]);
    validators.set(schema, errors);
  }
  return errors;
}

/** The limit is a setting of the whole process, so it is ours only for the time of one call. */
function withManyErrors<T>(job: () => T): T {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MAX_ERRORS });
  try {
    return job();
  } finally {
    Settings.Set({ maxErrors });
  }
}
