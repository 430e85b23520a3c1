import type { CallOptions, Ready } from "../protocol.ts";
import { RpcClosedError, RpcProtocolError } from "./errors.ts";
import { FrameQueue } from "./frame-queue.ts";
import { type FrameHandlers, FrameReceiver } from "./frame-receiver.ts";
import { type AnswerObserver, PendingRequests, type ResponseFrame, toError } from "./pending-requests.ts";
import { BEGINS_RUN } from "./run-commands.ts";
import { type PromptWatcher, RunTracker } from "./run-tracker.ts";
import type { Frame, FrameTransport, Transport } from "./transport.ts";
import { type Settle, type WaitOptions, Waits } from "./waits.ts";

export interface ExchangeLimits {
  readyTimeoutMs?: number | undefined;
  requestTimeoutMs?: number | undefined;
}

export type RequestOptions = CallOptions & Pick<AnswerObserver, "onSuccess"> & { watcher?: PromptWatcher };

interface Connection {
  ready: Promise<Ready>;
  isOpen(): boolean;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Sends commands and matches responses, over one connection at a time. */
export class Exchange {
  readonly waits = new Waits();
  readonly tracker = new RunTracker();
  readonly #pending: PendingRequests;
  readonly #readyTimeoutMs: number;
  #queue: FrameQueue | undefined;
  #start: Settle<Ready> | undefined;
  #requests = 0;

  constructor({ readyTimeoutMs = DEFAULT_TIMEOUT_MS, requestTimeoutMs = DEFAULT_TIMEOUT_MS }: ExchangeLimits) {
    this.#readyTimeoutMs = readyTimeoutMs;
    this.#pending = new PendingRequests(this.waits, requestTimeoutMs);
  }

  /** `ready` is the server's first frame. `onEnd` is called if the transport closes on its own. */
  open(
    transport: Transport,
    handlers: Omit<FrameHandlers, "ready" | "response">,
    onEnd: (reason: Error) => void,
    { signal }: WaitOptions = {},
  ): Connection {
    const { receiver, isOpen } = this.#begin(transport, handlers, onEnd);
    const ready = this.waits.wait<Ready>({
      what: "The start",
      signal,
      timeoutMs: this.#readyTimeoutMs,
      start: (settle) => {
        this.#start = settle;
        return () => {
          this.#start = undefined;
        };
      },
    });
    transport.onData((chunk) => receiver.push(chunk));
    return { ready, isOpen };
  }

  /** Joins a shared connection that is already open. Returns a function that injects a frame as if the server had sent it. */
  join(
    transport: FrameTransport,
    handlers: Omit<FrameHandlers, "ready" | "response">,
    onEnd: (reason: Error) => void,
  ): (frame: Frame) => void {
    const { receiver } = this.#begin(transport, handlers, onEnd);
    const take = (frame: Frame) => receiver.take(frame);
    transport.onFrame(take);
    return take;
  }

  #begin(
    transport: Transport | FrameTransport,
    handlers: Omit<FrameHandlers, "ready" | "response">,
    onEnd: (reason: Error) => void,
  ) {
    if (this.#queue) throw new Error("Client already started");
    const queue = new FrameQueue(transport);
    this.#queue = queue;
    const isOpen = () => this.#queue === queue;
    const receiver = new FrameReceiver(
      {
        ...handlers,
        ready: (frame) => this.#start?.resolve(frame),
        response: (frame) => this.#answer(frame, handlers.fault),
      },
      isOpen,
    );
    transport.onClose((reason = new RpcClosedError("The connection was closed")) => {
      receiver.end();
      if (isOpen()) onEnd(reason);
    });
    return { receiver, isOpen };
  }

  /** Rejects everything that is waiting and ignores further data from the transport. */
  close(reason: unknown): void {
    this.#queue = undefined;
    this.tracker.reset();
    this.waits.rejectAll(reason);
  }

  /** Sends a frame that has no response; a later frame with the same key replaces it while it is queued. */
  send(frame: Frame, key?: string): void {
    this.#queue?.send(frame, key);
  }

  request(
    command: string,
    params: object = {},
    { signal, timeoutMs, watcher, onSuccess }: RequestOptions = {},
  ): Promise<unknown> {
    const queue = this.#queue;
    if (!queue) return Promise.reject(new RpcClosedError("The client is not started"));
    this.#requests += 1;
    const id = `req_${this.#requests}`;
    const isPrompt = BEGINS_RUN.has(command);
    return this.#pending.open({
      id,
      command,
      signal,
      timeoutMs,
      send: () => {
        if (isPrompt) this.tracker.sent(id, watcher); // the response may arrive before the write is confirmed
        return queue.send({ id, ...params, type: command });
      },
      onSuccess: (data) => {
        if (isPrompt) this.tracker.acknowledged(id);
        onSuccess?.(data);
      },
      onFailure: () => this.tracker.refused(id),
    });
  }

  #answer(response: ResponseFrame, onFault: FrameHandlers["fault"]): void {
    const id = response.id ?? (response.success ? undefined : this.#idOf(response));
    if (id === undefined) {
      const what = response.success ? "A response" : `A failure (${response.error})`;
      onFault(new RpcProtocolError(`${what} matches no request`, JSON.stringify(response)));
    } else if (!this.#pending.answer(String(id), response) && !response.success) {
      if (response.command === "parse") onFault(new RpcProtocolError(response.error, JSON.stringify(response)));
      else this.tracker.failedLate(String(id), toError(response));
    }
    // Any other response is late: its caller has stopped waiting.
  }

  /** Returns the id of the request that a failure without an id belongs to. */
  #idOf({ requestId, command }: Extract<ResponseFrame, { success: false }>): string | number | undefined {
    return requestId ?? this.#pending.findByCommand(command);
  }
}
