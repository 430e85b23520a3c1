import type { ServerReady } from "../../protocol.ts";
import { RpcClosedError, RpcProtocolError, RpcTimeoutError } from "../errors.ts";
import { LineReader } from "../line-reader.ts";
import type { Frame } from "../transport.ts";
import type { GatewayTransport } from "./gateway-transport.ts";

interface ConnectionListener {
  /** Called as soon as the first frame is read, before any later frame. */
  onReady(ready: ServerReady): void;
  onFrame(frame: Frame): void;
  /** Called once, after the last frame. Not called if this side closed the connection, nor before `ready`. */
  onEnd(reason: Error): void;
  onFault(fault: RpcProtocolError): void;
}

/** One connection to a gateway, from its first frame until it closes. */
export class GatewayConnection {
  readonly #transport: GatewayTransport;
  readonly #listener: ConnectionListener;
  #ready: ServerReady | undefined;
  #onReady: ((ready: ServerReady) => void) | undefined;
  #onFailure: ((reason: Error) => void) | undefined;
  #isOver = false;

  constructor(transport: GatewayTransport, listener: ConnectionListener) {
    this.#transport = transport;
    this.#listener = listener;
  }

  /** Starts reading. Resolves with the server's first frame, and closes the connection if none arrives in time. */
  async start(timeoutMs: number): Promise<ServerReady> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise<ServerReady>((resolve, reject) => {
        this.#onReady = resolve;
        this.#onFailure = reject;
        timer = setTimeout(() => reject(new RpcTimeoutError(`Starting took longer than ${timeoutMs} ms`)), timeoutMs);
        this.#read();
      });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  send(frame: Frame): void | Promise<void> {
    if (!this.#isOver) return this.#transport.write(`${JSON.stringify(frame)}\n`);
  }

  /** Closes the connection. No listener is called afterwards. */
  close(): void {
    this.#isOver = true;
    this.#transport.close();
  }

  #read(): void {
    const reader = new LineReader({
      onLine: (line) => this.#receive(line),
      onOverlongLine: () => this.#fault("A line is too long", ""),
    });
    this.#transport.onClose((reason) => {
      reader.end();
      this.#end(reason ?? new RpcClosedError("The connection was closed"));
    });
    this.#transport.onData((chunk) => reader.push(chunk));
  }

  #end(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#ready) this.#listener.onEnd(reason);
    else this.#onFailure?.(reason);
  }

  #receive(line: string): void {
    if (this.#isOver) return;
    const frame = readFrame(line);
    if (!frame) this.#fault("A line is not a frame", line);
    else if (this.#ready) this.#listener.onFrame(frame);
    else if (frame.type === "server_ready") this.#begin(JSON.parse(line));
    else this.#fault("The server's first frame was not server_ready", line);
  }

  #begin(ready: ServerReady): void {
    if (ready.protocolVersion === 1) {
      this.#ready = ready;
      this.#listener.onReady(ready);
      this.#onReady?.(ready);
    } else {
      const versions = `version ${ready.protocolVersion} of the protocol, but this client supports only version 1`;
      this.#end(new RpcClosedError(`The server speaks ${versions}`));
    }
  }

  #fault(message: string, line: string): void {
    this.#listener.onFault(new RpcProtocolError(message, line));
  }
}

function readFrame(line: string): Frame | undefined {
  try {
    const frame: Frame = JSON.parse(line);
    return typeof frame?.type === "string" ? frame : undefined;
  } catch {
    return undefined;
  }
}
