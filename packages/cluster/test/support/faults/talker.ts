import { ConnectionLost, type Frame, type RecordingHost, Refused } from "../cluster/recording-host.ts";
import type { Random } from "./random.ts";

export interface TalkerOptions {
  host: RecordingHost;
  random: Random;
  /** Addresses of the gateways, whether or not they run. */
  ports: readonly number[];
  /** Number of its session's working directory. */
  cwd: string;
}

interface Said {
  key: string;
  message: string;
}

/** After these events a run does not continue; the next prompt shows the state of the session. */
const ENDS: ReadonlySet<string> = new Set([
  "session_settled",
  "run_interrupted",
  "session_moved",
  "worker_exited",
  "session_failed",
  "session_closed",
]);
/** A gateway that does not respond is replaced by another one. */
const DEADLINE_MS = 6_000;
const PAUSE_MS = 100;

/**
 * A host with its own session, on whichever node responds. It prompts, waits for the end, prompts again, and never abandons a
 * prompt.
 */
export class Talker {
  sessionId: string | undefined;
  /** Prompts that were acknowledged. */
  acknowledged = 0;
  /** Why it had to retry, for the report. */
  readonly troubles = new Map<string, number>();
  readonly #options: TalkerOptions;
  #cursor: unknown;
  #prompts = 0;

  constructor(options: TalkerOptions) {
    this.#options = options;
    options.host.onFrame = (frame) => this.#see(frame);
  }

  #see({ sessionId, seq, cursor }: Frame): void {
    if (sessionId !== this.sessionId || seq === undefined) return;
    if (cursor !== undefined) this.#cursor = cursor;
    else if (isCursor(this.#cursor)) this.#cursor = { ...this.#cursor, seq };
  }

  /** Sends prompts until it is stopped. */
  async talk(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.promptOnce(signal);
      if (this.#options.random.next() < 0.2) this.#options.host.leave(); // the next one may go to any node
    }
  }

  /**
   * Retries one prompt until it is acknowledged, and follows its run to the end. A refusal is definite; without a response, the
   * prompt is repeated with the same key.
   */
  async promptOnce(signal?: AbortSignal): Promise<void> {
    for (let said = this.#nextPrompt(); !signal?.aborted; ) {
      try {
        await this.#prompt(said);
        return;
      } catch (error) {
        await this.#retryLater(error);
        if (error instanceof Refused) said = this.#nextPrompt();
      }
    }
  }

  /** The session is stored, and no node has it open. */
  async close(): Promise<void> {
    for (;;) {
      try {
        await this.#options.host.ask(
          { type: "close_session", sessionId: await this.#attached(), abort: true },
          DEADLINE_MS,
        );
        return;
      } catch (error) {
        await this.#retryLater(error);
      }
    }
  }

  async #prompt({ key, message }: Said): Promise<void> {
    const { host } = this.#options;
    const sessionId = await this.#attached();
    const from = host.count;
    await host.ask({ type: "prompt", sessionId, message, commandKey: key }, DEADLINE_MS);
    this.acknowledged += 1;
    const isEnd = (frame: Frame) => frame.sessionId === sessionId && ENDS.has(frame.type);
    await host.until(isEnd, from, DEADLINE_MS).catch((error: unknown) => {
      host.leave(); // acknowledged, however it ended
      if (!(error instanceof ConnectionLost)) throw error;
    });
  }

  /** Messages are unique, so that they can be found again. */
  #nextPrompt(): Said {
    const { host, random } = this.#options;
    this.#prompts += 1;
    const key = `${host.name}-${this.#prompts}`;
    return { key, message: `run sleep ${(random.integer(0, 3) / 10).toFixed(1)} && echo ${key}` };
  }

  async #retryLater(error: unknown): Promise<void> {
    const { host, random } = this.#options;
    const why = error instanceof Refused ? error.code : "no answer";
    this.troubles.set(why, (this.troubles.get(why) ?? 0) + 1);
    if (random.next() < 0.5) host.leave();
    await retryLater(host, error);
  }

  async #attached(): Promise<string> {
    const { host, random, ports, cwd } = this.#options;
    if (host.isConnected && this.sessionId !== undefined) return this.sessionId;
    await host.connect(random.pick(ports), DEADLINE_MS);
    const what = this.sessionId === undefined ? { cwd, model: "pintle/offline" } : { session: this.sessionId };
    const since = isCursor(this.#cursor) ? { since: this.#cursor } : {};
    const { sessionId, cursor } = await host.ask<{ sessionId: string; cursor: unknown }>(
      { type: "open_session", ...what, ...since },
      DEADLINE_MS,
    );
    this.sessionId = sessionId;
    this.#cursor ??= cursor;
    return sessionId;
  }
}

/** Drops a connection that does not respond. Rejects with errors that do not come from the connection. */
export async function retryLater(host: RecordingHost, error: unknown): Promise<void> {
  if (!(error instanceof ConnectionLost || error instanceof Refused)) throw error;
  if (error instanceof ConnectionLost) host.leave();
  await Bun.sleep(PAUSE_MS);
}

function isCursor(cursor: unknown): cursor is { seq: number } {
  return typeof cursor === "object" && cursor !== null;
}
