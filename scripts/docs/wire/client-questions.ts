import { QUESTIONS, type QuestionHandler, type QuestionRow } from "@pintle/wire";
import { type JsonSchema, type Protocol, pascal } from "@pintle/wire/schemas";

/** What clients need to know about a kind of question that is asked in a frame. */
export interface ClientQuestion {
  request: string;
  answer: string;
  update?: string;
  cancel?: string;
  methods?: readonly string[];
  capability?: string;
  isExclusive?: true;
  handler?: Pick<QuestionHandler, "method" | "text" | "yes" | "no" | "none" | "reportsErrors">;
}

/** Returns the rows that the clients contain, by kind. */
export function clientQuestions(
  methodName: (method: string) => string = (method) => method,
): Record<string, ClientQuestion> {
  const rows = Object.entries(QUESTIONS).flatMap(([kind, row]: [string, QuestionRow]) => {
    const { request, answer, update, cancel, methods, capability, isExclusive } = row;
    if (!request || !answer) return [];
    const handler = row.handler && clientHandler(row.handler, methodName);
    return [
      [kind, { request, answer, update, cancel: cancel?.type, methods, capability, isExclusive, handler }] as const,
    ];
  });
  return JSON.parse(JSON.stringify(Object.fromEntries(rows))); // without fields that are undefined
}

function clientHandler({ method, text, yes, no, none, reportsErrors }: QuestionHandler, name: (of: string) => string) {
  return { method: name(method), text, yes, no, none, reportsErrors };
}

/** A kind of question that handlers of the clients answer. */
export interface HandledQuestion {
  kind: string;
  capability: string;
  handler: QuestionHandler;
  /** The type of the request, and whether one of its methods withdraws another request. */
  request: { name: string; hasCancel: boolean };
  /** What the handler may return as an object: the answer without its type and id. */
  fields: JsonSchema;
  /** The schema of the field that a string fills. */
  text: JsonSchema | undefined;
}

export function handledQuestions({ hostFrames }: Protocol): HandledQuestion[] {
  return Object.entries(QUESTIONS).flatMap(([kind, row]: [string, QuestionRow]) => {
    const { request, answer, cancel, capability, handler } = row;
    if (!request || !answer || !capability || !handler) return [];
    const fields = withoutHead(hostFrames[pascal(answer)]!);
    const options = fields.anyOf ?? [fields];
    return [
      {
        kind,
        capability,
        handler,
        request: { name: pascal(request), hasCancel: cancel?.type === request },
        fields,
        text: options.map(({ properties }) => properties?.[handler.text ?? ""]).find((schema) => schema !== undefined),
      },
    ];
  });
}

function withoutHead(frame: JsonSchema): JsonSchema {
  if (frame.anyOf) return { anyOf: frame.anyOf.map(withoutHead) };
  const { type: _type, id: _id, ...properties } = frame.properties ?? {};
  return { ...frame, properties };
}
