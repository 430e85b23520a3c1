import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

const jsonSchema = (description: string) => Type.Unsafe<object>(Type.Object({}, { description }));

export const OutputSchemaSchema = jsonSchema(
  "JSON Schema 2020-12 of the output of a run, at most 64 KiB and 32 levels, without remote references",
);
export type OutputSchema = Static<typeof OutputSchemaSchema>;

export const PromptOutputSchemaSchema = Type.Union(
  [OutputSchemaSchema, Type.Literal(false, { description: "no output, although there is a default" })],
  { description: "the schema of this prompt's output, instead of the default" },
);
export type PromptOutputSchema = Static<typeof PromptOutputSchemaSchema>;

export const OutputViolationSchema = Type.Object({
  path: Type.String({ description: "JSON pointer into the output; empty for the output itself" }),
  message: Type.String({ description: "what is expected there" }),
});
export type OutputViolation = Static<typeof OutputViolationSchema>;
