import type { FrameId, HostMistakeCode, ServerFrame } from "@pintle/wire";
import { backgroundTimers, type Timers } from "../../../async/timers.ts";

const NOTICE_INTERVAL_MS = 60_000;

export interface HostMistake {
  code: HostMistakeCode;
  /** For people, as a clause without a full stop. */
  reason: string;
  /** The id of the frame, as far as it has one. */
  requestId?: FrameId | undefined;
}

export interface HostMistakesParts {
  /** `--strict-host`: a mistake is answered as a failure. */
  isStrict: boolean;
  send(frame: ServerFrame): void;
  timers?: Timers;
}

/** Those of a kind that came after the last notice. */
interface Unreported {
  cancelTimer(): void;
  count: number;
  last: HostMistake | undefined;
}

/**
 * Reports what the host got wrong where no response does. A notice of one kind is sent at most once a minute; what came in between
 * is counted by the next one.
 */
export class HostMistakes {
  readonly isStrict: boolean;
  readonly #send: (frame: ServerFrame) => void;
  readonly #timers: Timers;
  readonly #unreported = new Map<HostMistakeCode, Unreported>();

  constructor({ isStrict, send, timers = backgroundTimers }: HostMistakesParts) {
    this.isStrict = isStrict;
    this.#send = send;
    this.#timers = timers;
  }

  /** For a frame that gets no response of its own. */
  report(mistake: HostMistake): void {
    if (this.isStrict) {
      this.#send(toFailure(mistake));
      return;
    }
    const unreported = this.#unreported.get(mistake.code);
    if (unreported) {
      unreported.count += 1;
      unreported.last = mistake;
    } else this.#notify(mistake, 1);
  }

  /** Sends what has only been counted so far. */
  close(): void {
    for (const { cancelTimer, count, last } of this.#unreported.values()) {
      cancelTimer();
      if (last) this.#sendNotice(last, count);
    }
    this.#unreported.clear();
  }

  #notify(mistake: HostMistake, count: number): void {
    const cancelTimer = this.#timers.start(() => this.#onInterval(mistake.code), NOTICE_INTERVAL_MS);
    this.#unreported.set(mistake.code, { cancelTimer, count: 0, last: undefined });
    this.#sendNotice(mistake, count);
  }

  #onInterval(code: HostMistakeCode): void {
    const unreported = this.#unreported.get(code);
    this.#unreported.delete(code);
    if (unreported?.last) this.#notify(unreported.last, unreported.count);
  }

  #sendNotice({ code, reason, requestId }: HostMistake, count: number): void {
    const more = count > 1 ? ` (the last of ${count})` : "";
    // An answer and the end of its question may cross each other on the wire.
    const level = code === "answered_late" ? "info" : "warning";
    const about = { source: "host", code, ...(requestId !== undefined && { requestId }), count };
    this.#send({ type: "notice", level, message: `Mistake of the host: ${reason}${more}`, ...about });
  }
}

/** In the form of a line that cannot be parsed: that is the one response without a command. */
function toFailure({ code, reason, requestId }: HostMistake): ServerFrame {
  const error = `Failed to parse command: ${reason}`;
  const failure = { type: "response" as const, command: "parse", success: false as const, error, code };
  return requestId === undefined ? failure : { ...failure, requestId };
}
