import { isRecord } from "@pintle/ai";
import type { Host, HostPort, OutgoingFrame } from "@pintle/gateway/cluster";

export type Frame = Record<string, unknown>;

/** The fields of a response that jobs read. */
export interface Answer {
  isSuccess: boolean;
  data: Frame;
  code: string;
  error: string;
}

/**
 * The host of one job: a connection to the gateway without a transport. It declares no capabilities, so every question gets its
 * safe default.
 */
export class JobHost implements Host {
  static #count = 0;
  /** Negative, because hosts with a transport count upwards. */
  readonly id = --JobHost.#count;
  readonly transport = "inside";
  readonly queuedBytes = 0;
  readonly #port: HostPort;
  readonly #onEvent: (frame: Frame) => void;
  readonly #waiting = new Map<string, (frame: Frame) => void>();
  #asked = 0;

  constructor(accept: (host: Host) => HostPort, onEvent: (frame: Frame) => void) {
    this.#onEvent = onEvent;
    this.#port = accept(this);
    // Only the end matters, and it is always sent.
    void this.ask({ type: "set_event_filter", events: [] }); // an answer never rejects
  }

  send({ json }: OutgoingFrame): void {
    const frame: unknown = JSON.parse(json);
    if (!isRecord(frame)) return;
    if (frame.type === "response") this.#answered(String(frame.id), frame);
    else this.#onEvent(frame);
  }

  /** A prompt that fails later gets a second response. */
  #answered(id: string, frame: Frame): void {
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (answer) answer(frame);
    else this.#onEvent(frame);
  }

  backPressure(): undefined {
    return undefined;
  }

  /** Never rejects. */
  ask(command: Frame): Promise<Answer> {
    const id = String(command.id ?? ++this.#asked);
    return new Promise((resolve) => {
      this.#waiting.set(id, (frame) => resolve(toAnswer(frame)));
      this.#port.receive(JSON.stringify({ ...command, id }));
    });
  }

  leave(): void {
    this.#port.closed();
  }
}

function toAnswer({ success, data, code, error }: Frame): Answer {
  return {
    isSuccess: success === true,
    data: isRecord(data) ? data : {},
    code: String(code ?? ""),
    error: String(error ?? ""),
  };
}
