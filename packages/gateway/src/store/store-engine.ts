import { isRecord } from "@pintle/ai";
import type { ErrorCode, Params, Result } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import type { WorkerProcess } from "../workers/worker-process.ts";

type StoreCommand = "list_sessions" | "delete_session" | "restore_session" | "rename_session";

/** How long the engine may be idle before it ends. */
const IDLE_MS = 30_000;

interface Waiting {
  resolve(data: unknown): void;
  reject(error: CommandError): void;
}

/**
 * An engine without a session, which lists and changes stored sessions, because only engines read and write session
 * files.
 */
export class StoreEngine {
  readonly #start: () => Promise<WorkerProcess>;
  #process: Promise<WorkerProcess> | undefined;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: () => Promise<WorkerProcess>) {
    this.#start = start;
  }

  /** Sends a command. Rejects with CommandError. */
  async ask<N extends StoreCommand>(type: N, params: Params<N>): Promise<Result<N>> {
    clearTimeout(this.#idleTimer);
    this.#process ??= this.#begin();
    const process = await this.#process;
    const id = `l${++this.#count}`;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    process.send(JSON.stringify({ ...params, type, id }));
    try {
      return (await promise) as Result<N>;
    } finally {
      this.#restWhenIdle();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const process = this.#process;
    this.#process = undefined;
    await process?.then((one) => one.end()).catch(() => {}); // it failed to start, so there is nothing to end
  }

  async #begin(): Promise<WorkerProcess> {
    try {
      const process = await this.#start();
      process.listen({ onLine: (line) => this.#onLine(line), onExit: () => this.#onExit() });
      return process;
    } catch (error) {
      this.#process = undefined;
      throw error;
    }
  }

  #restWhenIdle(): void {
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS); // handles its own errors
    this.#idleTimer.unref();
  }

  #onLine(line: string): void {
    const frame: unknown = JSON.parse(line);
    if (!isRecord(frame) || frame.type !== "response" || typeof frame.id !== "string") return;
    const waiting = this.#waiting.get(frame.id);
    this.#waiting.delete(frame.id);
    if (frame.success === true) waiting?.resolve(frame.data);
    else waiting?.reject(new CommandError((frame.code as ErrorCode) ?? "invalid_request", String(frame.error)));
  }

  #onExit(): void {
    this.#process = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new CommandError("worker_exited", "The engine that reads sessions ended"));
  }
}
