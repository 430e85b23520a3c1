import { type JsonSchema, refName } from "@pintle/wire/schemas";

// Formats schemas in the notation of TypeScript, for people.

/** On one line. */
export function typeText(schema: JsonSchema): string {
  const { $ref, anyOf, type, items, additionalProperties } = schema;
  if ($ref !== undefined) return refName($ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  if (schema.not) return "never";
  if (anyOf) return anyOf.map(typeText).join(" | ");
  if (type === "array") return items ? `${itemText(items)}[]` : "unknown[]";
  if (additionalProperties) return `Record<string, ${typeText(additionalProperties)}>`;
  if (type !== "object") return type ?? "unknown";
  const fields = fieldsOf(schema).map(fieldText);
  return fields.length === 0 ? "object" : `{ ${fields.join(", ")} }`;
}

export interface Field {
  name: string;
  isOptional: boolean;
  schema: JsonSchema;
}

export function fieldsOf({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, isOptional: !required.includes(name), schema }));
}

export const fieldText = ({ name, isOptional, schema }: Field) =>
  `${name}${isOptional ? "?" : ""}: ${typeText(schema)}`;

/** A declaration, a line per field, with its description. */
export function declarationText(name: string, schema: JsonSchema): string {
  const { description, anyOf } = schema;
  const comment = description === undefined ? "" : `// ${description}\n`;
  const fields = fieldsOf(schema);
  if (fields.length > 0) return `${comment}interface ${name} {\n${fields.map(fieldLine).join("\n")}\n}`;
  const isLong = anyOf && typeText(schema).length > 100;
  return `${comment}type ${name} =${isLong ? anyOf.map((option) => `\n  | ${typeText(option)}`).join("") : ` ${typeText(schema)}`};`;
}

function fieldLine(field: Field): string {
  const { description } = field.schema;
  return `  ${fieldText(field)};${description === undefined ? "" : ` // ${description}`}`;
}

function itemText(schema: JsonSchema): string {
  const isChoice = schema.anyOf ?? schema.enum;
  return isChoice ? `(${typeText(schema)})` : typeText(schema);
}
