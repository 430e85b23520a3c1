import { isRecord } from "@pintle/ai";
import type { LiveSession } from "./live-session.ts";
import { isSuccess } from "./sent-commands.ts";
import { dataIn } from "./snapshot.ts";

/** Ends the worker of a session that has been unused for a while. */
export class IdleWatch {
  readonly #session: LiveSession;
  readonly #idleMs: number;
  readonly #whenIdle: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: LiveSession, idleMs: number) {
    this.#session = session;
    this.#idleMs = idleMs;
  }

  /** Resolves when nothing is in progress, jobs in the background included. */
  settled(): Promise<void> {
    if (!this.#session.isBusy && !this.#session.awaitsJobs) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** Must be called whenever the session may have become idle or busy. */
  look(): void {
    const { isBusy, awaitsJobs, hosts, worker } = this.#session;
    if (!isBusy && !awaitsJobs) for (const resolve of this.#whenIdle.splice(0)) resolve();
    const isIdle =
      this.#idleMs !== Number.POSITIVE_INFINITY && hosts.size === 0 && worker.process !== undefined && !isBusy;
    if (!isIdle) {
      this.stop();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#restUnlessNeeded();
    }, this.#idleMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Ends an idle worker. Keeps one with background jobs or processes, which would end with it, and checks again later.
   */
  #restUnlessNeeded(): void {
    const session = this.#session;
    if (session.hosts.size > 0 || session.isBusy) return;
    session.commands.request({ type: "get_state", brief: true }, (tail) => {
      const state = isSuccess(tail) ? dataIn(tail) : undefined;
      const isNeeded =
        isRecord(state) && (typeof state.backgroundProcesses === "number" || state.hasPendingAsyncWork === true);
      if (isNeeded || session.hosts.size > 0 || session.status !== "idle") this.look();
      else if (session.worker.process) void session.hibernate(); // does not reject
    });
  }
}
