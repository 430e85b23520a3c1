import { QUESTIONS, type QuestionRow } from "@pintle/wire";

/** What clients need to know of a kind of question that is asked in a frame. */
export interface ClientQuestion {
  request: string;
  answer: string;
  update?: string;
  cancel?: string;
  methods?: readonly string[];
  capability?: string;
  isExclusive?: true;
}

/** Returns the rows that the clients contain, by kind. */
export function clientQuestions(): Record<string, ClientQuestion> {
  const rows = Object.entries(QUESTIONS).flatMap(([kind, row]: [string, QuestionRow]) => {
    const { request, answer, update, cancel, methods, capability, isExclusive } = row;
    if (!request || !answer) return [];
    return [[kind, { request, answer, update, cancel: cancel?.type, methods, capability, isExclusive }] as const];
  });
  return JSON.parse(JSON.stringify(Object.fromEntries(rows))); // without fields that are undefined
}
