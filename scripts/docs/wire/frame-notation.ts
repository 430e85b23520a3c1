import type { JsonSchema } from "@pintle/wire/schemas";
import { type Field, fieldsOf, fieldText } from "./schema-notation.ts";

/** Formats one frame for people: its name as a heading of this level, its description and fields. */
export function frameText(schema: JsonSchema, level: 3 | 4): string {
  const { anyOf, description } = schema;
  const lines = anyOf ? anyOf.map(shapeLine) : ownFields(schema).map(fieldLine);
  return [`${"#".repeat(level)} \`${typeOf(anyOf?.[0] ?? schema)}\``, description, lines.join("\n")]
    .filter(Boolean)
    .join("\n\n");
}

function typeOf({ properties }: JsonSchema): string {
  return String(properties?.type?.const);
}

const ownFields = (schema: JsonSchema) => fieldsOf(schema).filter(({ name }) => name !== "type");

function fieldLine(field: Field): string {
  const { description } = field.schema;
  return `- \`${fieldText(field)}\`${description === undefined ? "" : `: ${description}`}`;
}

/** One of several shapes of the same type. */
function shapeLine(schema: JsonSchema): string {
  const fields = ownFields(schema).map((field) => {
    const { description } = field.schema;
    return `\`${fieldText(field)}\`${description === undefined ? "" : ` (${description})`}`;
  });
  return `- ${fields.join(", ")}`;
}
