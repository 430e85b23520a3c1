import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_MS } from "../../../../gateway/test/support/patience.ts";

export type Frame = Record<string, unknown> & { type: string };

/** The connection is gone, or does not answer. */
export class ConnectionLost extends Error {}

/** The command was refused. */
export class Refused extends Error {
  readonly code: string;

  constructor(frame: Frame) {
    super(`${String(frame.command)}: ${String(frame.code)} ${String(frame.error)}`);
    this.code = String(frame.code);
  }
}

/** A host that records every frame of its connections, in both directions, with the time. */
export class RecordingHost {
  readonly name: string;
  /** Called with each frame that arrives. */
  onFrame: (frame: Frame) => void = () => {};
  readonly #file: number;
  readonly #token: string;
  readonly #waiting = new Set<() => void>();
  #frames: Frame[] = [];
  #socket: WebSocket | undefined;
  #connections = 0;
  #ids = 0;

  constructor(name: string, folder: string, token: string) {
    this.name = name;
    this.#token = token;
    this.#file = openSync(join(folder, `${name}.jsonl`), "w");
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Replaces the connection. Rejects with ConnectionLost. */
  async connect(port: number, deadlineMs = 10_000): Promise<void> {
    this.leave();
    const headers = { authorization: `Bearer ${this.#token}` };
    // Bun's WebSocket accepts headers, which the browser type does not declare.
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers } as unknown as string[]);
    this.#connections += 1;
    this.#frames = [];
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(socket, String(data));
    const changed = () => {
      for (const look of [...this.#waiting]) look();
    };
    socket.onclose = changed;
    socket.onerror = changed;
    await this.until(({ type }) => type === "server_ready", 0, deadlineMs);
  }

  /** Disconnects without a close frame. */
  leave(): void {
    const socket = this.#socket as (WebSocket & { terminate?(): void }) | undefined;
    this.#socket = undefined;
    socket?.terminate?.();
    for (const look of [...this.#waiting]) look();
  }

  #take(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return; // from a previous connection
    const frame = JSON.parse(text) as Frame;
    this.#write("in", frame);
    this.#frames.push(frame);
    this.onFrame(frame);
    for (const look of [...this.#waiting]) look();
  }

  send(frame: Record<string, unknown>): void {
    if (!this.#socket || !this.isConnected) throw new ConnectionLost(`${this.name} has no connection`);
    this.#write("out", frame);
    this.#socket.send(JSON.stringify(frame));
  }

  /** Returns the data of a response. Rejects with Refused, or with ConnectionLost if no response arrives in time. */
  async ask<T = Record<string, unknown>>(command: Record<string, unknown>, deadlineMs = PATIENCE_MS): Promise<T> {
    this.#ids += 1;
    const id = `${this.name}-${this.#ids}`;
    const from = this.#frames.length;
    this.send({ id, ...command });
    const isAnswer = (frame: Frame) => frame.type === "response" && (frame.id === id || frame.requestId === id);
    const frame = await this.until(isAnswer, from, deadlineMs);
    if (frame.success !== true) throw new Refused(frame);
    return frame.data as T;
  }

  /** Number of frames that have arrived on this connection. */
  get count(): number {
    return this.#frames.length;
  }

  /** Returns the first matching frame from the given position of this connection on. Rejects with ConnectionLost. */
  until(fits: (frame: Frame) => boolean, from = 0, deadlineMs = PATIENCE_MS): Promise<Frame> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      let at = from;
      const end = () => {
        this.#waiting.delete(look);
        clearTimeout(timer);
      };
      const look = () => {
        for (; socket === this.#socket && at < this.#frames.length; at += 1) {
          const frame = this.#frames[at] as Frame;
          if (!fits(frame)) continue;
          end();
          return resolve(frame);
        }
        if (socket === this.#socket && socket && socket.readyState <= WebSocket.OPEN) return;
        end();
        reject(new ConnectionLost(`${this.name} lost its connection`));
      };
      const timer = setTimeout(() => {
        end();
        reject(new ConnectionLost(`${this.name} timed out`));
      }, deadlineMs);
      this.#waiting.add(look);
      look();
    });
  }

  #write(dir: "in" | "out", frame: Record<string, unknown>): void {
    const line = { host: this.name, connection: this.#connections, at: Date.now(), dir, frame };
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  [Symbol.dispose](): void {
    this.leave();
    closeSync(this.#file);
  }
}
