import type { ChildProcess } from "node:child_process";
import { RpcClosedError } from "../core/errors.ts";
import type { Transport } from "../core/transport.ts";

export interface ExitStatus {
  code: number | null;
  signal: string | null;
}

/** How long to wait for remaining output after the process has exited, or for the process after its output has ended. */
const LINGER_MS = 500;

/** A running server: its pipes as a transport, the tail of its stderr, and its exit status. */
export class ServerProcess {
  readonly transport: Transport;
  /** Never rejects. If the program could not be started, both fields are null. */
  readonly exited: Promise<ExitStatus>;
  readonly #child: ChildProcess;
  readonly #stderr: StderrTail;
  readonly #closed: Promise<void>;
  #isGone = false;
  #stopping: Promise<void> | undefined;

  /** `explain` describes why the program could not be started. */
  constructor(child: ChildProcess, stderrLimit: number, explain: (error: Error) => string = ({ message }) => message) {
    this.#child = child;
    this.#stderr = new StderrTail(stderrLimit);
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    child.stdin?.on("error", () => {}); // the exit event reports a server that is gone
    child.stdout?.on("error", () => {});
    child.stderr?.on("error", () => {});
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
    let startError: Error | undefined;
    // Keep this listener: a signal that cannot be sent also emits `error`, and an unhandled one would crash the host.
    child.on("error", (error) => {
      startError ??= error;
    });
    this.exited = new Promise((resolve) => {
      const settle = (code: number | null, signal: string | null) => {
        this.#isGone = true;
        resolve({ code, signal });
      };
      child.once("exit", settle);
      child.once("error", () => {
        if (child.pid === undefined) settle(null, null);
      });
    });
    this.transport = {
      write: (text) => this.#write(text),
      onData: (listener) => void child.stdout?.on("data", listener),
      // #end() never rejects.
      onClose: (listener) => void this.#end().then((status) => listener(this.#reason(status, startError, explain))),
    };
  }

  stderr(): string {
    return this.#stderr.text();
  }

  /** Closes stdin; a process that does not exit is sent SIGTERM, then SIGKILL. */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    this.#child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await within(graceMs, this.exited)) break;
      this.#child.kill(signal);
    }
    await this.exited;
    await within(LINGER_MS, this.#closed);
    // A grandchild that holds the pipes open must not keep this program alive.
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe?.destroy();
  }

  #write(text: string): void | Promise<void> {
    const { stdin } = this.#child;
    if (!stdin?.writable || stdin.write(text)) return;
    return new Promise((resolve) => {
      const done = () => {
        stdin.off("drain", done);
        stdin.off("close", done);
        resolve();
      };
      stdin.on("drain", done);
      stdin.on("close", done);
    });
  }

  /** Resolves when both the process and its output have ended, or one of them has and the other has had its time. */
  async #end(): Promise<ExitStatus | undefined> {
    const outputEnded = new Promise<void>((resolve) => this.#child.stdout?.once("close", () => resolve()));
    await Promise.race([this.exited, outputEnded]);
    await within(LINGER_MS, Promise.all([this.exited, this.#closed]));
    return this.#isGone ? this.exited : undefined;
  }

  #reason(status: ExitStatus | undefined, startError: Error | undefined, explain: (error: Error) => string): Error {
    const stderr = this.stderr();
    if (startError && this.#child.pid === undefined) {
      return new RpcClosedError(`The server could not be started: ${explain(startError)}`, {
        stderr,
        cause: startError,
      });
    }
    if (!status) return new RpcClosedError("The server closed its output", { stderr });
    const { code, signal } = status;
    const how = code === null ? `was killed by ${signal}` : `exited with code ${code}`;
    return new RpcClosedError(`The server ${how}`, { code, signal, stderr });
  }
}

/** Returns false if the time ran out first. Leaves no timer behind. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeIsUp = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const isDone = await Promise.race([promise.then(() => true), timeIsUp]);
  clearTimeout(timer);
  return isDone;
}

/** Keeps the last bytes written, in a buffer that never grows. */
export class StderrTail {
  readonly #bytes: Uint8Array;
  #end = 0;
  #isFull = false;

  constructor(limit: number) {
    this.#bytes = new Uint8Array(limit);
  }

  push(chunk: Uint8Array): void {
    const limit = this.#bytes.length;
    const kept = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
    const room = limit - this.#end;
    this.#bytes.set(kept.subarray(0, room), this.#end);
    this.#bytes.set(kept.subarray(room), 0);
    this.#isFull ||= kept.length >= room;
    this.#end = limit === 0 ? 0 : (this.#end + kept.length) % limit;
  }

  text(): string {
    if (!this.#isFull) return decode(this.#bytes.subarray(0, this.#end));
    const bytes = new Uint8Array(this.#bytes.length);
    bytes.set(this.#bytes.subarray(this.#end));
    bytes.set(this.#bytes.subarray(0, this.#end), bytes.length - this.#end);
    // The first character may be cut off.
    const start = bytes.findIndex(isFirstByte);
    return start < 0 ? "" : decode(bytes.subarray(start));
  }
}

const isFirstByte = (byte: number) => (byte & 0xc0) !== 0x80;
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
