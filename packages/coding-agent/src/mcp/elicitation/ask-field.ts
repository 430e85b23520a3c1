import { type Checked, checkNumber, checkText, describeLimits } from "./check-answer.ts";
import { type Choice, type FormField, freeLabel } from "./form-fields.ts";
import type { PersonDialogs } from "./person.ts";

export type FieldValue = string | number | boolean | string[];

/** `left`: the field is left empty and not sent. `closed`: the user closed the dialog, or cannot answer. */
export type FieldAnswer = { kind: "given"; value: FieldValue } | { kind: "left" } | { kind: "closed" };

export interface FieldQuestion {
  dialogs: PersonDialogs;
  /** Names the server that asks. */
  heading: string;
  signal: AbortSignal;
}

type FieldOf<K extends FormField["kind"]> = Extract<FormField, { kind: K }>;

/** How often a field is asked for until the answer is valid. */
const MAX_ATTEMPTS = 3;
const CLOSED: FieldAnswer = { kind: "closed" };
const LEFT: FieldAnswer = { kind: "left" };
const given = (value: FieldValue): FieldAnswer => ({ kind: "given", value });

/** Asks for one field with the dialogs that hosts have: select, confirm and input. A given value is always valid. */
export function askField(field: FormField, question: FieldQuestion): Promise<FieldAnswer> {
  if (field.kind === "choices") return askChoices(field, question);
  if (field.kind === "choice") return askOne(field, choiceOptions(field), question);
  if (field.kind === "boolean") return askOne(field, booleanOptions(field), question);
  return askText(field, question);
}

async function askText(field: FieldOf<"text" | "number">, question: FieldQuestion): Promise<FieldAnswer> {
  const { dialogs, signal } = question;
  const check = (text: string): Checked<FieldValue> =>
    field.kind === "number" ? checkNumber(field, text.trim()) : checkText(field, text);
  const placeholder = field.default === undefined ? undefined : String(field.default);
  let problem = "";
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const text = await dialogs.input(titleOf(field, question, problem), placeholder, { signal });
    if (text === undefined) return CLOSED;
    if (text.trim() === "") {
      if (field.default !== undefined) return given(field.default);
      if (!field.isRequired) return LEFT;
      problem = "an answer is needed";
      continue;
    }
    const checked = check(text);
    if ("value" in checked) return given(checked.value);
    problem = checked.problem;
  }
  return CLOSED;
}

/** Answers by the label that the user sees. */
type Options = Map<string, FieldAnswer>;

async function askOne(field: FormField, options: Options, question: FieldQuestion): Promise<FieldAnswer> {
  const { dialogs, signal } = question;
  if (!field.isRequired && field.default === undefined) options.set(free("Leave empty", options), LEFT);
  let problem = "";
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const label = await dialogs.select(titleOf(field, question, problem), [...options.keys()], { signal });
    if (label === undefined) return CLOSED;
    const answer = options.get(label);
    if (answer) return answer;
    problem = "it must be one of these";
  }
  return CLOSED;
}

function booleanOptions(field: FieldOf<"boolean">): Options {
  const label = (text: string, value: boolean) => (field.default === value ? `${text} (default)` : text);
  return new Map([
    [label("Yes", true), given(true)],
    [label("No", false), given(false)],
  ]);
}

function choiceOptions(field: FieldOf<"choice">): Options {
  const options: Options = new Map();
  for (const { value, label } of field.choices) {
    options.set(free(value === field.default ? `${label} (default)` : label, options), given(value));
  }
  return options;
}

/** Shows one dialog per choice, because hosts have no list with several selections. */
async function askChoices(field: FieldOf<"choices">, question: FieldQuestion): Promise<FieldAnswer> {
  const { dialogs, signal } = question;
  const max = Math.min(field.maxItems, field.choices.length);
  const chosen: Choice[] = [];
  let misses = 0;
  while (chosen.length < max) {
    const options: Map<string, Choice | FieldAnswer> = new Map();
    for (const choice of field.choices) if (!chosen.includes(choice)) options.set(choice.label, choice);
    for (const [text, answer] of furtherOptions(field, chosen)) options.set(free(text, options), answer);
    const soFar = chosen.length > 0 ? `so far: ${chosen.map(({ label }) => label).join(", ")}` : "";
    const label = await dialogs.select(titleOf(field, question, soFar), [...options.keys()], { signal });
    if (label === undefined) return CLOSED;
    const next = options.get(label);
    if (next && "kind" in next) return next;
    if (next) chosen.push(next);
    else misses += 1;
    if (misses === MAX_ATTEMPTS) return CLOSED;
  }
  // A form that requires more choices than it offers cannot be answered.
  return chosen.length < field.minItems ? CLOSED : given(chosen.map(({ value }) => value));
}

/** Returns the answers that are possible instead of another choice. */
function furtherOptions(field: FieldOf<"choices">, chosen: readonly Choice[]): [string, FieldAnswer][] {
  const isEnough = chosen.length >= field.minItems;
  if (chosen.length > 0) return isEnough ? [["Done", given(chosen.map(({ value }) => value))]] : [];
  if (field.default) {
    const further: [string, FieldAnswer][] = isEnough && field.default.length > 0 ? [["None", given([])]] : [];
    return [[`Default: ${labelsOf(field, field.default)}`, given(field.default)], ...further];
  }
  if (!field.isRequired) return [["Leave empty", LEFT]];
  return isEnough ? [["None", given([])]] : [];
}

function labelsOf({ choices }: FieldOf<"choices">, values: readonly string[]): string {
  const labels = choices.filter(({ value }) => values.includes(value)).map(({ label }) => label);
  return labels.length === 0 ? "none" : labels.join(", ");
}

function titleOf(field: FormField, { heading }: FieldQuestion, note: string): string {
  const { title, description, isRequired } = field;
  const limits = describeLimits(field);
  const hints = [
    ...(limits === "" ? [] : [limits]),
    ...(field.default === undefined || field.kind === "choices" ? [] : [`default: ${defaultText(field)}`]),
    ...(isRequired ? [] : ["optional"]),
  ];
  const about = `${title}${hints.length > 0 ? ` (${hints.join("; ")})` : ""}`;
  return [`${heading}: ${about}`, description, note].filter((line) => line !== "").join("\n");
}

function defaultText(field: FormField): string {
  if (field.kind === "boolean") return field.default ? "yes" : "no";
  if (field.kind === "choice") return field.choices.find(({ value }) => value === field.default)?.label ?? "";
  return String(field.default);
}

function free(label: string, options: ReadonlyMap<string, unknown>): string {
  return freeLabel(label, new Set(options.keys()));
}
