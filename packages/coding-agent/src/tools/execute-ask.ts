import type { ToolInvocation, ToolResult } from "@pintle/agent";
import type { Static } from "typebox";
import type { AskContext, AskDialogOptions, AskParameters } from "./ask.ts";

type Question = Static<AskParameters>["questions"][number];

interface Answer {
  id: string;
  question: string;
  selected: string[];
  /** A free-text answer by the user. */
  text?: string;
  /** Whether the recommended option was used because no answer came in time. */
  timedOut?: true;
  /** Whether the user closed the dialog. */
  cancelled?: true;
}

const OWN_WORDS = "Other (type your own answer)";
const DONE = "Done";

export async function execute(
  { questions }: Static<AskParameters>,
  { signal }: ToolInvocation,
  context: AskContext,
): Promise<ToolResult> {
  const results: Answer[] = [];
  for (const question of questions) {
    signal.throwIfAborted();
    const answer = await ask(question, context, signal);
    results.push(answer);
    if (answer.cancelled) break; // After the user closes a dialog, do not open the next one.
  }
  signal.throwIfAborted();
  return { content: [{ type: "text", text: results.map(toText).join("\n") }], details: { results } };
}

async function ask(question: Question, context: AskContext, signal: AbortSignal): Promise<Answer> {
  const answer: Answer = { id: question.id, question: question.question, selected: [] };
  let isTimedOut = false;
  const dialog: AskDialogOptions = {
    signal,
    onTimeout: () => {
      isTimedOut = true;
    },
  };
  const chosen = await (question.multi ? chooseSeveral : chooseOne)(question, context, dialog);
  if (chosen === undefined) return isTimedOut ? { ...answer, ...fallback(question) } : { ...answer, cancelled: true };
  if (!chosen.includes(OWN_WORDS)) return { ...answer, selected: chosen };

  const text = await context.input(question.question, undefined, dialog);
  const selected = chosen.filter((label) => label !== OWN_WORDS);
  if (text !== undefined) return { ...answer, selected, text };
  return isTimedOut ? { ...answer, ...fallback(question) } : { ...answer, cancelled: true };
}

async function chooseOne(
  { question, options }: Question,
  context: AskContext,
  dialog: AskDialogOptions,
): Promise<string[] | undefined> {
  const chosen = await context.select(question, [...options.map(({ label }) => label), OWN_WORDS], dialog);
  return chosen === undefined ? undefined : [chosen];
}

/** Opens one dialog per choice, because hosts have no dialog with multiple selection. */
async function chooseSeveral(
  { question, options }: Question,
  context: AskContext,
  dialog: AskDialogOptions,
): Promise<string[] | undefined> {
  const chosen: string[] = [];
  for (;;) {
    const left = options.map(({ label }) => label).filter((label) => !chosen.includes(label));
    const title = chosen.length === 0 ? question : `${question} (so far: ${chosen.join(", ")})`;
    const next = await context.select(title, [...left, OWN_WORDS, DONE], dialog);
    if (next === undefined) return undefined;
    if (next === DONE) return chosen;
    chosen.push(next);
    if (next === OWN_WORDS || left.length <= 1) return chosen;
  }
}

function fallback({ options, recommended = 0 }: Question): Pick<Answer, "selected" | "timedOut"> {
  const option = options[recommended] ?? options[0]!;
  return { selected: [option.label], timedOut: true };
}

function toText({ id, selected, text, timedOut, cancelled }: Answer): string {
  if (cancelled) return `${id}: the user closed the question without answering`;
  const said = [...selected, ...(text === undefined ? [] : [JSON.stringify(text)])].join(", ") || "none of the options";
  return timedOut ? `${id}: no answer in time; using the recommended ${said}` : `${id}: ${said}`;
}
