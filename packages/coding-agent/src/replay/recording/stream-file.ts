import { ProviderError, type ProviderErrorKind } from "@pintle/ai";

// The file of one answer: a head, a line per event of the server, and how it ended.

export interface AnswerHead {
  /** 0: there was no answer at all. */
  status: number;
  statusText?: string;
  headers: Record<string, string>;
}

export interface RecordedEvent {
  /** Milliseconds since the request. */
  t: number;
  event?: string;
  data?: string;
  /** A piece of a binary body, instead of `data`. */
  base64?: string;
  /** The body ended in the middle of this event. */
  cut?: true;
}

export interface AnswerEnd {
  t: number;
  end: "done" | "aborted" | "error";
  error?: RecordedError;
}

export interface RecordedError {
  kind?: ProviderErrorKind;
  code?: string;
  message: string;
}

export interface RecordedAnswer {
  head: AnswerHead;
  events: readonly RecordedEvent[];
  end: AnswerEnd;
}

/** What a body is made of. The head alone decides, so that recording and replay agree. */
export type BodyKind = "events" | "text" | "binary";

export function bodyKind({ status, headers }: AnswerHead): BodyKind {
  const type = headers["content-type"] ?? "";
  const isText = type === "" || /^text\/|json|xml|charset/i.test(type);
  if (!isText) return "binary";
  // Servers label their events in odd ways; only what is certainly something else is not read as events.
  const isDocument = /^(text\/html|application\/(json|problem\+json|xml))\b/i.test(type);
  return status >= 200 && status < 300 && !isDocument ? "events" : "text";
}

export function formatAnswer({ head, events, end }: RecordedAnswer): string {
  return `${[head, ...events, end].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Gives the lines one by one: an answer may be long, and its first words are wanted soon. */
export function* readAnswer(text: string): Generator<AnswerHead | RecordedEvent | AnswerEnd> {
  let from = 0;
  while (from < text.length) {
    const newline = text.indexOf("\n", from);
    const to = newline === -1 ? text.length : newline;
    if (to > from) yield parseLine(text.slice(from, to));
    from = to + 1;
  }
}

/** People edit recordings. Asking again would not mend one, so this is none of the errors that are retried. */
function parseLine(line: string): AnswerHead | RecordedEvent | AnswerEnd {
  try {
    return JSON.parse(line);
  } catch {
    throw new ProviderError("not_found", `The recording of this answer is damaged: ${line.slice(0, 100)}`);
  }
}

export function isEnd(line: AnswerHead | RecordedEvent | AnswerEnd): line is AnswerEnd {
  return "end" in line;
}
