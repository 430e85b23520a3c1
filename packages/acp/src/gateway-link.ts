import { CommandError, type Host, type HostPort, type Hosts, type OutgoingFrame } from "@pintle/gateway";
import { ERROR_CODES, type ErrorCode } from "@pintle/wire";

export type Frame = Record<string, unknown> & { type: string };

interface Sent {
  resolve(data: unknown): void;
  reject(error: Error): void;
}

export interface LinkOptions {
  /** Bytes written that the client has not read yet. */
  unsentBytes(): number;
  /** Returns a promise while the client does not read. */
  pressure(): Promise<void> | undefined;
  /** Receives events and questions of a session, in order. */
  onFrame(sessionId: string, frame: Frame): void;
}

/** Connects to the gateway as its only host: sends commands, and delivers events in the order of the session. */
export class GatewayLink implements Host {
  readonly id = 1;
  readonly transport = "stdio";
  readonly #options: LinkOptions;
  readonly #port: HostPort;
  readonly #sent = new Map<string, Sent>();
  /** Prompts that were accepted. A later failure of one is its second answer. */
  readonly #accepted = new Map<string, (error: Error) => void>();
  #count = 0;

  constructor(hosts: Hosts, options: LinkOptions) {
    this.#options = options;
    this.#port = hosts.accept(this);
  }

  get queuedBytes(): number {
    return this.#options.unsentBytes();
  }

  backPressure(): Promise<void> | undefined {
    return this.#options.pressure();
  }

  send({ json, sessionId }: OutgoingFrame): void {
    const frame = JSON.parse(json) as Frame;
    if (frame.type === "response") this.#onResponse(frame);
    else if (sessionId !== undefined) this.#options.onFrame(sessionId, frame);
  }

  /**
   * Sends a command. Rejects with CommandError. `onData` is called at the position of the response among the frames, because
   * others may follow at once.
   */
  request<T = unknown>(command: Frame, onData: (data: T) => void = () => {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#send(command, this.#nextId(), {
      resolve: (data) => {
        onData(data as T); // the command's row declares it
        resolve(data as T);
      },
      reject,
    });
    return promise;
  }

  /** Sends a prompt. `begun` receives the id under which the end of the prompt is reported, before any response. */
  prompt(command: Frame, callbacks: { begun(id: string): void; accepted(): void; failed(error: Error): void }): void {
    const id = this.#nextId();
    callbacks.begun(id);
    this.#send(command, id, {
      resolve: () => {
        this.#accepted.set(id, callbacks.failed);
        callbacks.accepted();
      },
      reject: callbacks.failed,
    });
  }

  promptEnded(id: string): void {
    this.#accepted.delete(id);
  }

  /** Answers a question. The gateway sends no response. */
  tell(frame: Frame): void {
    this.#port.receive(JSON.stringify(frame));
  }

  close(): void {
    this.#port.closed();
  }

  #nextId(): string {
    this.#count += 1;
    return `a${this.#count}`;
  }

  #send(command: Frame, id: string, sent: Sent): void {
    this.#sent.set(id, sent);
    this.#port.receive(JSON.stringify({ ...command, id }));
  }

  #onResponse(frame: Frame): void {
    const id = String(frame.id ?? frame.requestId);
    const sent = this.#sent.get(id);
    this.#sent.delete(id);
    if (frame.success === true) sent?.resolve(frame.data);
    else if (sent) sent.reject(failureIn(frame));
    else {
      this.#accepted.get(id)?.(failureIn(frame));
      this.#accepted.delete(id);
    }
  }
}

function failureIn({ code, error }: Frame): Error {
  const text = typeof error === "string" ? error : "The command failed";
  const isKnown = typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
  return isKnown ? new CommandError(code as ErrorCode, text) : new Error(text);
}
