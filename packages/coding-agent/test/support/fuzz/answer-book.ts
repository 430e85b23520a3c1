import { commands, type ResponseFrame } from "@pintle/wire";
import type { Dialect } from "../../../src/modes/rpc/dialects/dialect.ts";
import type { Frame } from "../scenarios/rpc-child.ts";
import type { ExpectedAnswer } from "./expected-answer.ts";

type Labels = Pick<ExpectedAnswer, "command" | "id" | "requestId">;

const labelOf = ({ command, id, requestId }: Labels) => JSON.stringify([command, id ?? null, requestId ?? null]);
const isPrompt = (command: string) => ["prompt", "abort_and_prompt", "continue_run"].includes(command);
const isInOrder = (command: string) =>
  Object.hasOwn(commands, command) &&
  ["ordered", "long"].includes(commands[command as keyof typeof commands].lane as string);

const MARK = /#\d+#/;

/** Compares commands with their responses. */
export class AnswerBook {
  readonly faults: string[] = [];
  readonly #dialect: Dialect;
  readonly #asked = new Map<string, number>();
  readonly #answered = new Map<string, ResponseFrame[]>();
  /** The ids of commands that are answered in the order of arrival, if unique. */
  readonly #inOrder: string[] = [];
  readonly #prompts = new Map<string, ExpectedAnswer>();
  readonly #said = new Map<string, number>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  ask(given: ExpectedAnswer): void {
    const expected = this.#labelled(given);
    const label = labelOf(expected);
    this.#asked.set(label, (this.#asked.get(label) ?? 0) + 1);
    if (typeof expected.id !== "string" || !expected.id.startsWith("unique")) return;
    if (isInOrder(expected.command)) this.#inOrder.push(expected.id);
    if (isPrompt(expected.command)) this.#prompts.set(expected.id, expected);
  }

  /** The other dialects also add an `id` where the default dialect has none. */
  #labelled(expected: ExpectedAnswer): ExpectedAnswer {
    const { requestId } = expected;
    return this.#dialect === "seed" || requestId === undefined ? expected : { ...expected, id: requestId };
  }

  hear(frame: Frame): void {
    if (frame.type === "response") {
      const response = frame as ResponseFrame;
      const label = labelOf(response as Labels);
      const known = this.#answered.get(label);
      if (known) known.push(response);
      else this.#answered.set(label, [response]);
    } else if (frame.type === "message_start" && frame.message.role === "user") {
      const mark = MARK.exec(JSON.stringify(frame.message.content))?.[0];
      if (mark !== undefined) this.#said.set(mark, (this.#said.get(mark) ?? 0) + 1);
    }
  }

  /** Called after the last frame. */
  finish(): string[] {
    for (const label of new Set([...this.#asked.keys(), ...this.#answered.keys()])) this.#checkCount(label);
    this.#checkOrder();
    for (const prompt of this.#prompts.values()) this.#checkPrompt(prompt);
    for (const [mark, count] of this.#said) if (count > 1) this.faults.push(`${mark} was delivered ${count} times`);
    return this.faults;
  }

  #checkCount(label: string): void {
    const asked = this.#asked.get(label) ?? 0;
    const answers = this.#answered.get(label) ?? [];
    const [command] = JSON.parse(label) as [string];
    const failures = answers.filter(({ success }) => !success).length;
    const mayFailLate = isPrompt(command) && this.#dialect === "seed";
    const isRight = mayFailLate
      ? answers.length >= asked && answers.length - failures <= asked && failures <= asked
      : answers.length === asked;
    if (isRight) return;
    const errors = answers.map((answer) => (answer.success ? "ok" : answer.error.slice(0, 200))).slice(0, 3);
    this.faults.push(`${label.slice(0, 200)}: asked ${asked}, answered ${answers.length} (${errors.join(" | ")})`);
  }

  #checkOrder(): void {
    const position = new Map(this.#inOrder.map((id, index) => [id, index]));
    const heard = [...this.#answered.values()].flatMap(([first]) => (first ? [first] : []));
    const places = heard.flatMap(({ id }) => position.get(String(id)) ?? []);
    const late = places.findIndex((place, index) => index > 0 && place < places[index - 1]!);
    if (late !== -1) this.faults.push(`the answer to ${this.#inOrder[places[late]!]} came after a later one`);
  }

  /** A prompt ends either in a failure or in a run that contains its text, never in both and never in neither. */
  #checkPrompt(prompt: ExpectedAnswer): void {
    const answers = this.#answered.get(labelOf(prompt)) ?? [];
    const mark = MARK.exec(JSON.stringify(prompt.fields?.message ?? ""))?.[0];
    if (mark === undefined || answers.length === 0) return;
    const hasFailed = answers.some(({ success }) => !success);
    const wasSaid = this.#said.has(mark);
    const mayStayQueued = prompt.command === "prompt" && typeof prompt.fields?.streamingBehavior === "string";
    if (hasFailed && wasSaid) this.faults.push(`${prompt.id} failed, and yet it was run`);
    if (!hasFailed && !wasSaid && !mayStayQueued) this.faults.push(`${prompt.id} was accepted and then forgotten`);
    const [first, second] = answers;
    if (second && !(first?.success && !second.success)) this.faults.push(`${prompt.id} was answered twice`);
  }
}
