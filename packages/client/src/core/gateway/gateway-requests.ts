import type { CallOptions, GatewayCalls } from "../../protocol.ts";
import { RpcClosedError } from "../errors.ts";
import { PendingRequests, type ResponseFrame } from "../pending-requests.ts";
import type { Frame } from "../transport.ts";
import { Waits } from "../waits.ts";

/** `rename_session` is a session command that the gateway also accepts for sessions that are not open. */
interface Calls extends GatewayCalls {
  rename_session: { params: { sessionId: string; name: string }; result: unknown };
}
type Call = keyof Calls;
/** Called as soon as the response is read; `isRepeat` means that the command had already been sent on an earlier connection. */
type OnSuccess<N extends Call> = (result: Calls[N]["result"], isRepeat: boolean) => void;

/**
 * Sends commands to the gateway itself. Commands without a response when the connection is lost are sent again on the next one.
 */
export class GatewayRequests {
  readonly #waits = new Waits();
  readonly #pending: PendingRequests;
  readonly #prefix: string;
  readonly #send: (frame: Frame) => void | Promise<void>;
  readonly #unanswered = new Map<string, { frame: Frame; isRepeat: boolean }>();
  #count = 0;
  #isConnected = false;
  #end: Error | undefined;

  constructor(prefix: string, timeoutMs: number, send: (frame: Frame) => void | Promise<void>) {
    this.#prefix = prefix;
    this.#pending = new PendingRequests(this.#waits, timeoutMs);
    this.#send = send;
  }

  async request<N extends Call>(
    command: N,
    params: Calls[N]["params"],
    { signal, timeoutMs }: CallOptions,
    onSuccess?: OnSuccess<N>,
  ): Promise<Calls[N]["result"]> {
    if (this.#end) throw this.#end;
    if (!this.#isConnected) throw new RpcClosedError("The client is not started");
    this.#count += 1;
    const id = `${this.#prefix}${this.#count}`;
    const given: object = params;
    const entry = { frame: { ...given, id, type: command, commandKey: id }, isRepeat: false };
    const answer = await this.#pending.open({
      id,
      command,
      signal,
      timeoutMs,
      send: () => {
        this.#unanswered.set(id, entry);
        // Commands to the gateway are short, so send them even if the connection is full.
        void this.#send(entry.frame);
        return () => this.#unanswered.delete(id);
      },
      onSuccess: (data) => onSuccess?.(data as Calls[N]["result"], entry.isRepeat),
    });
    return answer as Calls[N]["result"];
  }

  answer(frame: ResponseFrame): boolean {
    return this.#pending.answer(String(frame.id), frame);
  }

  /** Called after the first connection and after every reconnect. */
  connected(): void {
    this.#isConnected = true;
    for (const entry of this.#unanswered.values()) {
      entry.isRepeat = true;
      void this.#send(entry.frame); // as above
    }
  }

  end(reason: Error): void {
    this.#end = reason;
    this.#waits.rejectAll(reason);
  }
}
