import { isRecord } from "@pintle/ai";
import { plainLine } from "@pintle/foundation";
import { checkNumber, checkText } from "./check-answer.ts";

/** One field of a form that a server asks the user to fill in. */
export type FormField = { name: string; title: string; description: string; isRequired: boolean } & FieldKind;

export interface Choice {
  value: string;
  label: string;
}

export type FieldKind =
  | { kind: "text"; minLength: number; maxLength: number; format: string; default?: string | undefined }
  | { kind: "number"; isInteger: boolean; minimum: number; maximum: number; default?: number | undefined }
  | { kind: "boolean"; default?: boolean | undefined }
  | { kind: "choice"; choices: Choice[]; default?: string | undefined }
  | { kind: "choices"; choices: Choice[]; minItems: number; maxItems: number; default?: string[] | undefined };

/** More fields than a user can be expected to answer in dialogs. */
const MAX_FIELDS = 30;
const MAX_CHOICES = 200;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 1_000;

/** Reads the fields of a form. Throws an Error that says why the form cannot be shown. */
export function readForm(schema: unknown): FormField[] {
  const { properties, required } = isRecord(schema) ? schema : {};
  const fields = Object.entries(isRecord(properties) ? properties : {});
  if (fields.length > MAX_FIELDS) throw new Error(`a form of more than ${MAX_FIELDS} fields`);
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return fields.map(([name, written]) => {
    const field = isRecord(written) ? written : {};
    return withUsableDefault({
      name,
      title: shortText(field.title, MAX_TITLE) || shortText(name, MAX_TITLE),
      description: shortText(field.description, MAX_DESCRIPTION),
      isRequired: needed.has(name),
      ...kindOf(field),
    });
  });
}

/** Removes a default that the form itself would reject. */
function withUsableDefault(field: FormField): FormField {
  if (field.default === undefined || fitsDefault(field)) return field;
  return { ...field, default: undefined };
}

function fitsDefault(field: FormField): boolean {
  if (field.kind === "text") return "value" in checkText(field, field.default ?? "");
  if (field.kind === "number") return "value" in checkNumber(field, String(field.default));
  if (field.kind !== "choices") return true;
  const count = field.default?.length ?? 0;
  return count >= field.minItems && count <= field.maxItems;
}

function kindOf(field: Record<string, unknown>): FieldKind {
  const { type, items } = field;
  if (type === "boolean") return { kind: "boolean", default: booleanOr(field.default) };
  if (type === "number" || type === "integer") {
    const [minimum, maximum] = [numberOr(field.minimum, -Infinity), numberOr(field.maximum, Infinity)];
    return {
      kind: "number",
      isInteger: type === "integer",
      minimum,
      maximum,
      default: typeof field.default === "number" ? field.default : undefined,
    };
  }
  if (type === "array") {
    const choices = choicesOf(isRecord(items) ? items : {});
    const [minItems, maxItems] = [numberOr(field.minItems, 0), numberOr(field.maxItems, Infinity)];
    return { kind: "choices", choices, minItems, maxItems, default: knownValues(field.default, choices) };
  }
  if (Array.isArray(field.enum) || Array.isArray(field.oneOf)) {
    const choices = choicesOf(field);
    return { kind: "choice", choices, default: knownValues([field.default], choices)?.[0] };
  }
  return {
    kind: "text",
    minLength: numberOr(field.minLength, 0),
    maxLength: numberOr(field.maxLength, Infinity),
    format: typeof field.format === "string" ? field.format : "",
    default: typeof field.default === "string" ? field.default : undefined,
  };
}

/** `enum` with the older `enumNames`, or `oneOf`/`anyOf` with titles. Each label represents one value. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: Record<string, unknown>): Choice[] {
  const titled: readonly unknown[] | undefined = Array.isArray(oneOf)
    ? oneOf
    : Array.isArray(anyOf)
      ? anyOf
      : undefined;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const pairs: readonly (readonly [unknown, unknown])[] = titled
    ? titled.map((one) => (isRecord(one) ? [one.const, one.title] : [undefined, undefined]))
    : (Array.isArray(values) ? values : []).map((value, index) => [value, names[index]]);
  if (pairs.length > MAX_CHOICES) throw new Error(`a field with more than ${MAX_CHOICES} choices`);
  const choices = new Map<string, string>();
  const labels = new Set<string>();
  for (const [value, title] of pairs) {
    if (typeof value !== "string" || choices.has(value)) continue;
    const wanted = shortText(title, MAX_TITLE) || shortText(value, MAX_TITLE) || "(empty)";
    const label = freeLabel(labels.has(wanted) ? `${wanted} (${shortText(value, MAX_TITLE)})` : wanted, labels);
    labels.add(label);
    choices.set(value, label);
  }
  if (choices.size === 0) throw new Error("a field without a choice");
  return [...choices].map(([value, label]) => ({ value, label }));
}

/** Returns the label, with a number appended if it is already taken. */
export function freeLabel(wanted: string, taken: ReadonlySet<string>): string {
  let label = wanted;
  for (let count = 2; taken.has(label); count += 1) label = `${wanted} [${count}]`;
  return label;
}

function knownValues(written: unknown, choices: readonly Choice[]): string[] | undefined {
  if (!Array.isArray(written)) return undefined;
  const known = choices.map(({ value }) => value).filter((value) => written.includes(value));
  return known.length === new Set(written).size ? known : undefined;
}

function booleanOr(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" ? value : other;
}

function shortText(value: unknown, maxLength: number): string {
  return typeof value === "string" ? plainLine(value).slice(0, maxLength) : "";
}
