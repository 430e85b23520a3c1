import { ABORTED_TEXT, ProviderError } from "@pintle/ai";
import { formatEvent } from "./recording/event-lines.ts";
import {
  type AnswerEnd,
  type AnswerHead,
  bodyKind,
  isEnd,
  type RecordedEvent,
  readAnswer,
} from "./recording/stream-file.ts";

/** Waits this long, or until the signal fires. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export interface ReplayPace {
  /** Divides the recorded pauses; undefined for no pauses. */
  speed: number | undefined;
  wait: Wait;
}

/** About one network packet. */
const CHUNK_CHARS = 1400;
/** For an answer that was aborted during the recording: how long the caller has to abort too. */
const ABORT_GRACE_MS = 5_000;
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Returns a recorded answer as the response of a server, or fails as the recorded request failed. `restore` replaces the
 * placeholders in the events.
 */
export async function replayResponse(
  text: string,
  { restore, pace, signal }: { restore(text: string): string; pace: ReplayPace; signal: AbortSignal },
): Promise<Response> {
  const lines = readAnswer(text);
  const head = lines.next().value as AnswerHead | undefined;
  if (head?.status === undefined) throw new ProviderError("not_found", "The recording of this answer has no head");
  const clock = new ReplayClock(pace, signal);
  if (head.status === 0) {
    const end = lines.next().value as AnswerEnd;
    await clock.reach(end.t);
    throw await endError(end, clock, signal);
  }
  const { status, statusText = "", headers } = head;
  if (BODILESS.has(status)) return new Response(null, { status, statusText, headers });
  const body = new ReplayedBody({ head, lines, restore, clock, signal });
  return new Response(body.stream, { status, statusText, headers });
}

/** Tracks the position of the replay in the recorded time. */
class ReplayClock {
  readonly #pace: ReplayPace;
  readonly #signal: AbortSignal;
  #at = 0;

  constructor(pace: ReplayPace, signal: AbortSignal) {
    this.#pace = pace;
    this.#signal = signal;
  }

  /** Waits until a recorded time. Yields even without pauses, as a network would, so that an abort is noticed. */
  async reach(t: number): Promise<void> {
    const { speed, wait } = this.#pace;
    const pause = speed === undefined ? 0 : Math.max(0, t - this.#at) / speed;
    this.#at = t;
    if (pause > 0) await wait(pause, this.#signal);
    else await new Promise((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
  }

  wait(ms: number): Promise<void> {
    return this.#pace.wait(ms, this.#signal);
  }
}

interface BodyParts {
  head: AnswerHead;
  lines: Generator<AnswerHead | RecordedEvent | AnswerEnd>;
  restore(text: string): string;
  clock: ReplayClock;
  signal: AbortSignal;
}

/** Sends the next events when the reader has consumed the previous ones. */
class ReplayedBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #parts: BodyParts;
  readonly #toBytes: (event: RecordedEvent) => Uint8Array | string;
  readonly #encoder = new TextEncoder();
  #ahead: RecordedEvent | AnswerEnd | undefined;

  constructor(parts: BodyParts) {
    this.#parts = parts;
    const isEvents = bodyKind(parts.head) === "events";
    this.#toBytes = ({ event, data, base64, cut }) => {
      if (base64 !== undefined) return Buffer.from(base64, "base64");
      const text = parts.restore(data ?? "");
      return isEvents ? formatEvent({ ...(event !== undefined && { event }), data: text }, cut === true) : text;
    };
    this.stream = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => void parts.lines.return(undefined) },
      { highWaterMark: 0 },
    );
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { clock, signal } = this.#parts;
    try {
      const next = this.#next();
      await clock.reach(next.t);
      if (!isEnd(next)) return controller.enqueue(this.#chunk(next));
      if (next.end === "done") controller.close();
      else controller.error(await endError(next, clock, signal));
    } catch (error) {
      controller.error(error);
    }
  }

  /** Combines events that arrived at the same moment into one chunk, like a packet. */
  #chunk(first: RecordedEvent): Uint8Array {
    const bytes = this.#toBytes(first);
    if (typeof bytes !== "string") return bytes;
    let text = bytes;
    while (text.length < CHUNK_CHARS) {
      const next = this.#next();
      if (isEnd(next) || next.t !== first.t) {
        this.#ahead = next;
        break;
      }
      text += this.#toBytes(next);
    }
    return this.#encoder.encode(text);
  }

  #next(): RecordedEvent | AnswerEnd {
    const ahead = this.#ahead ?? (this.#parts.lines.next().value as RecordedEvent | AnswerEnd | undefined);
    this.#ahead = undefined;
    if (!ahead) throw new ProviderError("not_found", "The recording of this answer has no end");
    return ahead;
  }
}

async function endError({ end, error }: AnswerEnd, clock: ReplayClock, signal: AbortSignal): Promise<unknown> {
  if (end === "aborted") {
    await clock.wait(ABORT_GRACE_MS);
    if (signal.aborted) return signal.reason ?? new Error(ABORTED_TEXT);
    return new ProviderError("not_found", "The recording of this answer was aborted here, and this time it was not");
  }
  const { kind, code, message } = error ?? { message: "the connection broke" };
  return kind ? new ProviderError(kind, message) : Object.assign(new Error(message), code !== undefined && { code });
}
