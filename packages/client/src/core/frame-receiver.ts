import type { HostToolCall, HostToolCancel, Ready, RpcEvent } from "../protocol.ts";
import { errorText, RpcProtocolError } from "./errors.ts";
import { LineReader } from "./line-reader.ts";
import type { ResponseFrame } from "./pending-requests.ts";
import type { Frame } from "./transport.ts";

export interface FrameHandlers {
  ready(frame: Ready): void;
  response(frame: ResponseFrame): void;
  host_tool_call(frame: HostToolCall): void;
  host_tool_cancel(frame: HostToolCancel): void;
  /** Returns false if the frame is not a question. */
  question(frame: Frame): boolean;
  /** Receives frames of every other type. */
  event(frame: RpcEvent): void;
  fault(fault: RpcProtocolError): void;
}

/** Decodes bytes into frames and dispatches each to the handler for its type. No malformed line can stop reading. */
export class FrameReceiver {
  readonly #byType: ReadonlyMap<string, (frame: never) => void>;
  readonly #onQuestion: FrameHandlers["question"];
  readonly #onEvent: FrameHandlers["event"];
  readonly #onFault: FrameHandlers["fault"];
  readonly #isWanted: () => boolean;
  readonly #reader: LineReader;

  /** `isWanted` is called before every frame, because a handler may end the connection in the middle of a chunk. */
  constructor({ event, question, fault, ...byType }: FrameHandlers, isWanted: () => boolean) {
    this.#byType = new Map(Object.entries(byType));
    this.#onQuestion = question;
    this.#onEvent = event;
    this.#onFault = fault;
    this.#isWanted = isWanted;
    this.#reader = new LineReader({
      onLine: (line) => this.#receive(line),
      onOverlongLine: () => this.#fault("A line is too long", ""),
    });
  }

  push(chunk: Uint8Array | string): void {
    this.#reader.push(chunk);
  }

  end(): void {
    this.#reader.end();
  }

  /** Accepts a frame that is already parsed. */
  take(frame: { type: string }): void {
    if (!this.#isWanted()) return;
    try {
      this.#dispatch(frame);
    } catch (error) {
      this.#fault(`A frame could not be processed: ${errorText(error)}`, JSON.stringify(frame));
    }
  }

  #receive(line: string): void {
    if (!this.#isWanted()) return;
    try {
      const frame: unknown = JSON.parse(line);
      if (isFrame(frame)) this.#dispatch(frame);
      else this.#fault("A line is not a frame", line);
    } catch (error) {
      this.#fault(`A line could not be processed: ${errorText(error)}`, line);
    }
  }

  #dispatch(frame: { type: string }): void {
    const handler = this.#byType.get(frame.type);
    if (handler) handler(frame as never);
    else if (!this.#onQuestion(frame)) this.#onEvent(frame as never);
  }

  #fault(message: string, line: string): void {
    this.#onFault(new RpcProtocolError(message, line));
  }
}

function isFrame(value: unknown): value is { type: string } {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
