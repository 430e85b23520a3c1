import { expect, test } from "bun:test";
import { QUESTIONS, type QuestionRow } from "@pintle/wire";
import { answerFrames, questionFrames } from "@pintle/wire/schemas";

const rows: readonly QuestionRow[] = Object.values(QUESTIONS);
const named = (fields: (row: QuestionRow) => readonly (string | undefined)[]) =>
  rows.flatMap((row) => fields(row).filter((type) => type !== undefined)).sort();

test("each frame of a question or an answer belongs to one kind", () => {
  expect(named(({ answer, update }) => [answer, update])).toEqual(Object.keys(answerFrames).sort());
  const asked = named(({ request, cancel, resolved }) => [
    request,
    cancel?.type === request ? undefined : cancel?.type,
    resolved,
  ]);
  expect(asked).toEqual(Object.keys(questionFrames).sort());
});

test("a kind has both a request and an answer, or an event and a command instead", () => {
  expect(rows.filter(({ request, answer }) => (request === undefined) !== (answer === undefined))).toEqual([]);
});

test("clients can answer each kind that is asked in a frame of hosts with a capability", () => {
  const isHandled = ({ request, capability }: QuestionRow) => request !== undefined && capability !== undefined;
  expect(rows.filter((row) => isHandled(row) !== (row.handler !== undefined))).toEqual([]);
});

test("no two kinds give their questions the same ids", () => {
  const prefixes = named(({ idPrefix }) => [idPrefix]);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});
