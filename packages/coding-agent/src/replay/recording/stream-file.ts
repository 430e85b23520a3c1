import { ProviderError, type ProviderErrorKind } from "@pintle/ai";

// The file of one answer: a head, a line per event of the server, and how it ended.

export interface AnswerHead {
  /** 0 if there was no answer at all. */
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

/** The kind of a body. Only the head decides, so that recording and replay agree. */
export type BodyKind = "events" | "text" | "binary";

export function bodyKind({ status, headers }: AnswerHead): BodyKind {
  const type = headers["content-type"] ?? "";
  const isText = type === "" || /^text\/|json|xml|charset/i.test(type);
  if (!isText) return "binary";
  // Servers label event streams in odd ways, so everything that is not certainly something else is read as events.
  const isDocument = /^(text\/html|application\/(json|problem\+json|xml))\b/i.test(type);
  return status >= 200 && status < 300 && !isDocument ? "events" : "text";
}

export function formatAnswer({ head, events, end }: RecordedAnswer): string {
  return `${[head, ...events, end].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Yields the lines one by one, because an answer may be long and its first words are needed soon. */
export function* readAnswer(text: string): Generator<AnswerHead | RecordedEvent | AnswerEnd> {
  let from = 0;
  while (from < text.length) {
    const newline = text.indexOf("\n", from);
    const to = newline === -1 ? text.length : newline;
    if (to > from) yield parseLine(text.slice(from, to));
    from = to + 1;
  }
}

/** People edit recordings. A retry would not fix one, so this is not one of the retried errors. */
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
