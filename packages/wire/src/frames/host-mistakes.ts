import type { FrameId } from "../data/frame-id.ts";
import type { HostMistakeCode } from "../notices.ts";
import type { ServerFrame } from "./server-frame.ts";

const NOTICE_INTERVAL_MS = 60_000;

export interface HostMistake {
  code: HostMistakeCode;
  /** For people, as a clause without a full stop. */
  reason: string;
  /** The id of the frame, if it has one. */
  requestId?: FrameId | undefined;
  /** The session of the frame, on a server of many. */
  sessionId?: string;
}

/** The id of the question or call that an answer refers to. */
export type QuestionState = "open" | "answered" | "ended" | "unknown";

const NOT_OPEN: Readonly<Record<Exclude<QuestionState, "open">, { code: HostMistakeCode; text: string }>> = {
  unknown: { code: "unknown_question", text: "no such question or call exists" },
  answered: { code: "answered_twice", text: "it was already answered" },
  ended: { code: "answered_late", text: "it had already ended, by an abort or its deadline" },
};

/** Returns the mistake in an answer that nothing waits for. */
export function answerWithoutQuestion(type: string, id: string, state: Exclude<QuestionState, "open">): HostMistake {
  const { code, text } = NOT_OPEN[state];
  return { code, reason: `${type} for ${id} has no effect: ${text}`, requestId: id };
}

/** Returns the mistakes of a frame that can be used in spite of them. `idText` is the JSON text of an invalid id. */
export function frameMistakes(
  type: string,
  { id, idText, isDamaged }: { id: FrameId | undefined; idText: string | undefined; isDamaged: boolean },
): HostMistake[] {
  const requestId = id ?? idText;
  return [
    ...(idText === undefined
      ? []
      : [
          { code: "invalid_id" as const, reason: `id of ${type} must be a string, not ${typeName(idText)}`, requestId },
        ]),
    ...(isDamaged
      ? [{ code: "invalid_utf8" as const, reason: `${type} has bytes that are not UTF-8`, requestId }]
      : []),
  ];
}

function typeName(json: string): string {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? "an array" : `a value of the type ${typeof value}`;
}

export interface HostMistakesParts {
  /** `--strict-host`: a mistake is answered with a failure. */
  isStrict: boolean;
  /** `mistake` is the one that the frame names. */
  send(frame: ServerFrame, mistake: HostMistake): void;
  /** Runs once after the time; returns a function that cancels it. */
  startTimer(run: () => void, ms: number): () => void;
}

/** Mistakes of a kind since the last notice. */
interface Unreported {
  cancelTimer(): void;
  count: number;
  last: HostMistake | undefined;
}

/**
 * Reports mistakes of the host that no response reports. Sends at most one notice per kind and minute; the next one
 * contains the count of those in between.
 */
export class HostMistakes {
  readonly isStrict: boolean;
  readonly #send: HostMistakesParts["send"];
  readonly #startTimer: HostMistakesParts["startTimer"];
  readonly #unreported = new Map<HostMistakeCode, Unreported>();

  constructor({ isStrict, send, startTimer }: HostMistakesParts) {
    this.isStrict = isStrict;
    this.#send = send;
    this.#startTimer = startTimer;
  }

  /** For a frame that gets no response of its own. */
  report(mistake: HostMistake): void {
    if (this.isStrict) {
      this.#send(toFailure(mistake), mistake);
      return;
    }
    const unreported = this.#unreported.get(mistake.code);
    if (unreported) {
      unreported.count += 1;
      unreported.last = mistake;
    } else this.#notify(mistake, 1);
  }

  /** Sends notices that have only been counted so far. */
  close(): void {
    for (const { cancelTimer, count, last } of this.#unreported.values()) {
      cancelTimer();
      if (last) this.#sendNotice(last, count);
    }
    this.#unreported.clear();
  }

  #notify(mistake: HostMistake, count: number): void {
    const cancelTimer = this.#startTimer(() => this.#onInterval(mistake.code), NOTICE_INTERVAL_MS);
    this.#unreported.set(mistake.code, { cancelTimer, count: 0, last: undefined });
    this.#sendNotice(mistake, count);
  }

  #onInterval(code: HostMistakeCode): void {
    const unreported = this.#unreported.get(code);
    this.#unreported.delete(code);
    if (unreported?.last) this.#notify(unreported.last, unreported.count);
  }

  #sendNotice(mistake: HostMistake, count: number): void {
    const { code, reason, requestId } = mistake;
    const more = count > 1 ? ` (the last of ${count})` : "";
    // An answer and the end of its question may cross on the wire.
    const level = code === "answered_late" ? "info" : "warning";
    const about = { source: "host", code, ...(requestId !== undefined && { requestId }), count };
    this.#send({ type: "notice", level, message: `Mistake of the host: ${reason}${more}`, ...about }, mistake);
  }
}

/** In the form of a line that cannot be parsed, which is the only response without a command. */
function toFailure({ code, reason, requestId }: HostMistake): ServerFrame {
  const error = `Failed to parse command: ${reason}`;
  const failure = { type: "response" as const, command: "parse", success: false as const, error, code };
  return requestId === undefined ? failure : { ...failure, requestId };
}
