import { type Timers, within } from "@pintle/foundation";
import { NotSavedError } from "@pintle/storage";
import type { AgentSession } from "../../session/agent-session.ts";
import type { FrameWriter } from "../frames/frame-writer.ts";
import type { CommandDispatcher } from "./commands/command-dispatcher.ts";

const COMMANDS_MS = 5_000;
const DISPOSE_MS = 5_000;
const LAST_ANSWERS_MS = 250;
const STALLED_READER_MS = 5_000;

export interface ShutdownParts {
  session: Pick<AgentSession, "isStreaming" | "abort" | "dispose">;
  dispatcher: Pick<CommandDispatcher<never>, "abortEarlier" | "settled" | "started" | "hostGone">;
  writer: Pick<FrameWriter, "drain" | "progress" | "isLost">;
  timers: Timers;
  /** Logs a bug in pintle. */
  reportBug(error: unknown): void;
  warn(text: string): void;
}

/**
 * Shuts down: aborts the run with all its closing events, answers accepted commands, closes the session and drains stdout.
 * Each step has a limit, so that no command or reader can keep the process alive.
 */
export class Shutdown {
  readonly #parts: ShutdownParts;
  readonly #commandsOver = Promise.withResolvers<void>();
  readonly #disposeOver = Promise.withResolvers<void>();
  readonly #answersOver = Promise.withResolvers<void>();
  readonly #everythingOver = Promise.withResolvers<void>();
  readonly #cancelTimers: (() => void)[] = [];

  constructor(parts: ShutdownParts) {
    this.#parts = parts;
  }

  /**
   * Limits the whole shutdown to this time, even if it has started. Reserves at least half of it for closing the session.
   */
  hurry(limitMs: number): void {
    this.#resolveAfter(limitMs / 2, this.#commandsOver);
    this.#resolveAfter(limitMs, this.#everythingOver);
  }

  /**
   * Returns false if the host has not read everything. If the session could not be saved, the host already received a
   * `notice`; this writes a line to stderr.
   */
  async run(): Promise<boolean> {
    const aborted = this.#abortRun();
    const started = this.#parts.dispatcher.started();
    if (started) await Promise.race([this.#startCommands(started), this.#commandsOver.promise]);
    this.#resolveAfter(COMMANDS_MS, this.#commandsOver);
    const answered = Promise.all([aborted, this.#parts.dispatcher.settled()]);
    await Promise.race([answered, this.#commandsOver.promise]);
    this.#resolveAfter(DISPOSE_MS, this.#disposeOver);
    const disposed = this.#report(this.#parts.session.dispose());
    const isClosed = await Promise.race([disposed, this.#disposeOver.promise, this.#everythingOver.promise]);
    // Commands that the end of the session cancelled must still be answered.
    this.#resolveAfter(LAST_ANSWERS_MS, this.#answersOver);
    await Promise.race([answered, this.#answersOver.promise, this.#everythingOver.promise]);
    const drained = this.#parts.writer.drain({ stallMs: STALLED_READER_MS });
    const isRead = await Promise.race([drained, this.#everythingOver.promise]);
    if (isClosed === undefined) this.#parts.warn("the session could not be closed in time");
    // A host that closed the pipe, for example after `agent_settled`, knows what it did not read.
    if (isRead !== true && !this.#parts.writer.isLost)
      this.#parts.warn("the host did not read the end of the output, which is lost");
    for (const cancel of this.#cancelTimers) cancel();
    return isRead === true;
  }

  #abortRun(): Promise<boolean> | undefined {
    const { session, dispatcher } = this.#parts;
    dispatcher.abortEarlier("runs");
    // Abort only the run. A compaction that the host requested is a command, and commands may finish.
    return session.isStreaming ? this.#report(session.abort()) : undefined;
  }

  /**
   * Waits for commands that wait for a slow reader, as long as it needs. Those that wait for a stopped reader never start.
   */
  async #startCommands(started: Promise<void>): Promise<void> {
    const { dispatcher, writer, timers } = this.#parts;
    let haveStarted = false;
    const all = started.then(() => {
      haveStarted = true;
    });
    while (!haveStarted) {
      const moves = Promise.race([all, writer.progress()]).then(() => true);
      if (!(await within(STALLED_READER_MS, moves, timers))) dispatcher.hostGone();
    }
  }

  /** Returns whether a step succeeded. A failing step must not stop the shutdown. */
  async #report(step: Promise<void>): Promise<boolean> {
    try {
      await step;
      return true;
    } catch (error) {
      if (error instanceof NotSavedError) this.#parts.warn(error.message);
      else this.#parts.reportBug(error);
      return false;
    }
  }

  #resolveAfter(ms: number, limit: PromiseWithResolvers<void>): void {
    this.#cancelTimers.push(this.#parts.timers.start(limit.resolve, ms));
  }
}
