import type { ServerReady } from "../../protocol.ts";
import { errorText, RpcClosedError, type RpcProtocolError } from "../errors.ts";
import type { Frame } from "../transport.ts";
import { pause, pauseBefore, type ReconnectOptions } from "./back-off.ts";
import { GatewayConnection } from "./connection.ts";
import { type Connect, type GatewayTransport, RpcRefusedError } from "./gateway-transport.ts";

export interface KeeperListener {
  /** Called after the first connection and after every reconnect. */
  onConnected(ready: ServerReady): void;
  onFrame(frame: Frame): void;
  onAway(reason: Error): void;
  /** Called once: the client was closed, or it stopped trying to reconnect. */
  onEnd(reason: Error): void;
  onFault(fault: RpcProtocolError): void;
}

interface KeeperOptions {
  connect: Connect;
  /** With `false`, the first lost connection ends the client. */
  reconnect: ReconnectOptions | false;
  readyTimeoutMs: number;
}

/** A connection that reconnects when it is lost. */
export class KeptConnection {
  readonly #options: KeeperOptions;
  readonly #listener: KeeperListener;
  readonly #ended = new AbortController();
  #connection: GatewayConnection | undefined;
  #isStarted = false;

  constructor(options: KeeperOptions, listener: KeeperListener) {
    this.#options = options;
    this.#listener = listener;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Opens the first connection, without retrying. */
  async start(signal?: AbortSignal): Promise<ServerReady> {
    if (this.#isStarted) throw new Error("Client already started");
    this.#isStarted = true;
    const end = () => this.#ended.abort();
    signal?.throwIfAborted();
    signal?.addEventListener("abort", end);
    try {
      return await this.#connect();
    } catch (error) {
      this.#ended.abort();
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  send(frame: Frame): void | Promise<void> {
    return this.#connection?.send(frame);
  }

  /** Closes the connection and stops reconnecting. */
  end(reason: Error): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#connection?.close();
    this.#connection = undefined;
    this.#listener.onEnd(reason);
  }

  async #connect(): Promise<ServerReady> {
    const transport = await this.#attempt();
    const connection: GatewayConnection = new GatewayConnection(transport, {
      onFrame: (frame) => this.#listener.onFrame(frame),
      onEnd: (reason) => this.#lost(connection, reason),
      onFault: (fault) => this.#listener.onFault(fault),
      onReady: (ready) => {
        this.#connection = connection;
        this.#listener.onConnected(ready);
      },
    });
    if (!this.#ended.signal.aborted) return connection.start(this.#options.readyTimeoutMs);
    connection.close();
    throw new RpcClosedError("The client was stopped");
  }

  /** Uses a signal per attempt, so that listeners do not outlive the attempt. */
  async #attempt(): Promise<GatewayTransport> {
    const { signal } = this.#ended;
    const attempt = new AbortController();
    const stop = () => attempt.abort(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      return await this.#options.connect(attempt.signal);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #lost(connection: GatewayConnection, reason: Error): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    const { reconnect } = this.#options;
    if (reconnect) {
      this.#listener.onAway(reason);
      // Never rejects: a failed attempt is retried or ends the client.
      void this.#reconnect(reconnect);
    } else this.end(reason);
  }

  async #reconnect(options: ReconnectOptions): Promise<void> {
    const { signal } = this.#ended;
    const { giveUpAfterMs = Number.POSITIVE_INFINITY } = options;
    const start = Date.now();
    for (let attempt = 0; ; attempt += 1) {
      await pause(pauseBefore(attempt, options), signal);
      if (signal.aborted) return;
      try {
        await this.#connect();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RpcRefusedError && error.isFinal) return this.end(error);
        if (Date.now() - start < giveUpAfterMs) continue;
        return this.end(new RpcClosedError(`Could not reconnect: ${errorText(error)}`, { cause: error }));
      }
    }
  }
}
