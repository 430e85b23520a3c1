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

/** Commands and their answers, over one connection at a time. */
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

  /** `ready` is the first frame of the server. `onEnd` is called when the transport ends by itself. */
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

  /** Over a shared connection, which is ready. Gives a function that takes a frame as if the server had sent it. */
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
    transport.onClose((reason = new RpcClosedError("The connection has ended")) => {
      receiver.end();
      if (isOpen()) onEnd(reason);
    });
    return { receiver, isOpen };
  }

  /** Rejects everything that waits. What the transport says afterwards is not heard. */
  close(reason: unknown): void {
    this.#queue = undefined;
    this.tracker.reset();
    this.waits.rejectAll(reason);
  }

  /** A frame that has no answer; a later one with the same key replaces it while it waits. */
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
        if (isPrompt) this.tracker.sent(id, watcher); // the answer may come before the frame is said to be sent
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
      const what = response.success ? "An answer" : `A failure (${response.error})`;
      onFault(new RpcProtocolError(`${what} belongs to no request`, JSON.stringify(response)));
    } else if (!this.#pending.answer(String(id), response) && !response.success) {
      if (response.command === "parse") onFault(new RpcProtocolError(response.error, JSON.stringify(response)));
      else this.tracker.failedLate(String(id), toError(response));
    }
    // Any other answer comes too late: its call has stopped waiting.
  }

  /** Of a failure that has no id itself. */
  #idOf({ requestId, command }: Extract<ResponseFrame, { success: false }>): string | number | undefined {
    return requestId ?? this.#pending.findByCommand(command);
  }
}
