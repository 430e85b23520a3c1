import { errorText, isRecord, isTooDeep, onAbort, TOO_DEEP_TEXT } from "@pintle/ai";
import { CODES, RpcError, toRpcError } from "./rpc-error.ts";

type Id = string | number | null;

/** A request from the other side that is being handled. */
export interface IncomingRequest {
  id: Id;
  /** Fires when the other side cancels the request or is gone. */
  signal: AbortSignal;
  /** Called when a result is written, for what must not be sent before it. Not called for errors. */
  afterAnswer(tell: () => void): void;
}

export interface RpcHandlers {
  requests: Readonly<Record<string, (params: Record<string, unknown>, request: IncomingRequest) => unknown>>;
  notifications: Readonly<Record<string, (params: Record<string, unknown>) => void>>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Answering {
  controller: AbortController;
  after: (() => void)[];
  done: PromiseWithResolvers<void>;
}

/**
 * One side of a JSON-RPC connection over lines. Answers every request once, answers an invalid line with the reason, and drops
 * responses that match no request.
 */
export class RpcPeer {
  readonly #write: (json: string) => void;
  readonly #handlers: RpcHandlers;
  readonly #waiting = new Map<Id, Waiting>();
  readonly #answering = new Map<Id, Answering>();
  #count = 0;
  #isDeaf = false;
  #isClosed = false;

  constructor(handlers: RpcHandlers, write: (json: string) => void) {
    this.#handlers = handlers;
    this.#write = write;
  }

  receive(line: string): void {
    if (this.#isClosed || line.trim() === "") return;
    const read = parse(line);
    if ("error" in read) this.refuse(CODES.parse, `Parse error: ${read.error}`);
    else if (!isRecord(read.message) || read.message.jsonrpc !== "2.0")
      this.refuse(CODES.invalidRequest, "expected one JSON-RPC 2.0 message", idOf(read.message));
    else if (isTooDeep(read.message))
      this.refuse(CODES.invalidRequest, `the message is ${TOO_DEEP_TEXT}`, idOf(read.message));
    else this.#dispatch(read.message);
  }

  /** Used for invalid lines, whose request id is unknown. */
  refuse(code: number, message: string, id: Id = null): void {
    this.#send({ id, error: { code, message } });
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Sends a request. Rejects with RpcError, even if the other side is gone. The signal cancels the request. */
  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#isDeaf) return Promise.reject(gone());
    if (signal?.aborted) return Promise.reject(withdrawn());
    const id = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const forget = onAbort(signal, () => {
      if (!this.#waiting.delete(id)) return;
      this.notify("$/cancel_request", { requestId: id });
      reject(withdrawn());
    });
    this.#waiting.set(id, { resolve, reject });
    this.#send({ id, method, params });
    return promise.finally(forget);
  }

  /** Returns whether a request with this id is being handled: `$/cancel_request` may arrive late. */
  cancel(id: unknown): void {
    this.#answering.get(id as Id)?.controller.abort();
  }

  /** Called when the other side sends nothing more, so our requests will not be answered. It may still read. */
  inputEnded(): void {
    this.#isDeaf = true;
    for (const { reject } of this.#waiting.values()) reject(gone());
    this.#waiting.clear();
  }

  /** Called when the other side is gone. Nothing is written afterwards. */
  close(): void {
    this.inputEnded();
    this.#isClosed = true;
    for (const { controller } of this.#answering.values()) controller.abort();
  }

  /** Resolves when all requests so far have their responses. */
  async answered(): Promise<void> {
    await Promise.all([...this.#answering.values()].map(({ done }) => done.promise));
  }

  #dispatch(message: Record<string, unknown>): void {
    const { method, params } = message;
    const id = idOf(message);
    if (typeof method !== "string") {
      if ("result" in message || "error" in message) this.#settle(message);
      else this.refuse(CODES.invalidRequest, "the message has no method", id);
    } else if (!("id" in message)) this.#hear(method, isRecord(params) ? params : {});
    else if (!isId(message.id) || this.#answering.has(id)) {
      this.refuse(CODES.invalidRequest, "the id must be a string or a number that no open request has", id);
    } else this.#answer(id, method, params);
  }

  /** Drops a notification that cannot be understood, because notifications are never answered. */
  #hear(method: string, params: Record<string, unknown>): void {
    if (Object.hasOwn(this.#handlers.notifications, method)) this.#handlers.notifications[method]!(params);
  }

  #answer(id: Id, method: string, params: unknown): void {
    const answering: Answering = { controller: new AbortController(), after: [], done: Promise.withResolvers() };
    this.#answering.set(id, answering);
    const respond = (outcome: object) => {
      this.#answering.delete(id);
      this.#send({ id, ...outcome });
      answering.done.resolve();
    };
    const work = async () => {
      if (!Object.hasOwn(this.#handlers.requests, method)) {
        throw new RpcError(CODES.methodNotFound, `Method not found: ${method}`);
      }
      if (params !== undefined && params !== null && !isRecord(params)) {
        throw new RpcError(CODES.invalidParams, "params must be an object");
      }
      const request = {
        id,
        signal: answering.controller.signal,
        afterAnswer: (tell: () => void) => void answering.after.push(tell),
      };
      return this.#handlers.requests[method]!(isRecord(params) ? params : {}, request);
    };
    work().then(
      (result) => {
        respond({ result: result ?? {} });
        for (const tell of answering.after) tell();
      },
      (error: unknown) => respond({ error: errorFields(error) }),
    );
  }

  #settle({ id, result, error }: Record<string, unknown>): void {
    const waiting = this.#waiting.get(id as Id);
    if (!waiting) return;
    this.#waiting.delete(id as Id);
    if (error === undefined || error === null) waiting.resolve(result);
    else waiting.reject(readError(error));
  }

  #send(message: object): void {
    if (!this.#isClosed) this.#write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
}

function parse(line: string): { message: unknown } | { error: string } {
  try {
    return { message: JSON.parse(line) };
  } catch (error) {
    return { error: errorText(error) };
  }
}

const isId = (id: unknown): id is Id => id === null || typeof id === "string" || Number.isFinite(id);
const idOf = (message: unknown): Id => (isRecord(message) && isId(message.id) ? message.id : null);
const gone = () => new RpcError(CODES.internal, "The client is gone");
const withdrawn = () => new RpcError(CODES.cancelled, "The request was withdrawn");

function errorFields(error: unknown): object {
  const { code, message, data } = toRpcError(error);
  return { code, message, ...(data !== undefined && { data }) };
}

function readError(error: unknown): RpcError {
  if (!isRecord(error)) return new RpcError(CODES.internal, "The client returned an error without a reason");
  const code = typeof error.code === "number" ? error.code : CODES.internal;
  return new RpcError(code, typeof error.message === "string" ? error.message : "The client returned no reason");
}
