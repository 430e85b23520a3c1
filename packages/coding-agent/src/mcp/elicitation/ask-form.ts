import { askField, type FieldQuestion, type FieldValue } from "./ask-field.ts";
import type { FormField } from "./form-fields.ts";

export type ElicitAction = "accept" | "decline" | "cancel";

export interface ElicitAnswer {
  action: ElicitAction;
  content?: Record<string, FieldValue>;
}

const YES = { some: "Answer", none: "Accept" };
const NO = "Decline";

/** Asks whether the user wants to answer at all, then for one field at a time. Closing a dialog cancels the form. */
export async function askForm(
  message: string,
  fields: readonly FormField[],
  question: FieldQuestion,
): Promise<ElicitAnswer> {
  const { dialogs, heading, signal } = question;
  const yes = fields.length === 0 ? YES.none : YES.some;
  const choice = await dialogs.select(`${heading} asks: ${message}`, [yes, NO], { signal });
  if (choice === NO) return { action: "decline" };
  if (choice !== yes) return { action: "cancel" };
  const content: [string, FieldValue][] = [];
  for (const field of fields) {
    const answer = await askField(field, question);
    if (answer.kind === "closed") return { action: "cancel" };
    if (answer.kind === "given") content.push([field.name, answer.value]);
  }
  return { action: "accept", content: Object.fromEntries(content) };
}
