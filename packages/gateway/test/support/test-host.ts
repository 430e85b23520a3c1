import type { Host, HostPort, Hosts, OutgoingFrame } from "../../src/host.ts";
import { PATIENCE_MS } from "./patience.ts";

export type Frame = Record<string, unknown> & { type: string };

/** A host connected to a gateway without a transport; it records what it receives and can wait for frames. */
export class TestHost implements Host {
  static #count = 0;
  /** Far from the ids of hosts with a transport, which the same gateway may have. */
  readonly id = 1_000_000 + ++TestHost.#count;
  readonly transport = "socket";
  readonly queuedBytes = 0;
  readonly frames: Frame[] = [];
  readonly raw: OutgoingFrame[] = [];
  readonly #port: HostPort;
  readonly #waiting = new Set<() => void>();
  #ids = 0;

  constructor(hosts: Hosts) {
    this.#port = hosts.accept(this);
  }

  backPressure(): undefined {
    return undefined;
  }

  send(frame: OutgoingFrame): void {
    this.raw.push(frame);
    this.frames.push(JSON.parse(frame.json) as Frame);
    for (const look of [...this.#waiting]) look();
  }

  write(frame: Record<string, unknown>): void {
    this.#port.receive(JSON.stringify(frame));
  }

  /** Resolves with the response to a command, success or failure. */
  async ask(frame: Record<string, unknown>): Promise<Frame> {
    const id = frame.id ?? `h${++this.#ids}`;
    const from = this.frames.length;
    this.write({ ...frame, id });
    return this.until(
      (one) => one.type === "response" && (one.id === id || one.requestId === id),
      from,
      String(frame.type),
    );
  }

  /** Resolves with the data of a response that must be a success. */
  async get<T = Record<string, unknown>>(frame: Record<string, unknown>): Promise<T> {
    const response = await this.ask(frame);
    if (response.success !== true)
      throw new Error(`${String(frame.type)}: ${String(response.code)} ${String(response.error)}`);
    return response.data as T;
  }

  /** Resolves with the first matching frame, starting at index `from`. */
  async until(fits: (frame: Frame) => boolean, from = 0, what = "a frame"): Promise<Frame> {
    let at = from;
    return new Promise((resolve, reject) => {
      const look = () => {
        for (; at < this.frames.length; at += 1) {
          const frame = this.frames[at]!;
          if (!fits(frame)) continue;
          this.#waiting.delete(look);
          clearTimeout(timer);
          return resolve(frame);
        }
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const last = this.frames.slice(-5).map((frame) => JSON.stringify(frame).slice(0, 300));
        reject(new Error(`timed out waiting for ${what}; the last frames were\n${last.join("\n")}`));
      }, PATIENCE_MS);
      this.#waiting.add(look);
      look();
    });
  }

  /** Returns the frames of a session, without responses. */
  events(sessionId: string): Frame[] {
    return this.frames.filter((frame) => frame.sessionId === sessionId && frame.type !== "response");
  }

  leave(): void {
    this.#port.closed();
  }
}

export const isType = (type: string) => (frame: Frame) => frame.type === type;
