import {
  AbortedBeforeStartError,
  type Agent,
  AgentBusyError,
  type AgentMessage,
  type Clock,
  type RunClaim,
  RunEnded,
} from "@pintle/agent";
import { SessionError } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import { endError, type RunResult, type RunResults } from "../results/run-results.ts";

/** What became of a prompt: it began a run, waits in a queue, needed no model, or timed out before it began. */
export type PromptOutcome = "run" | "queued" | "handled" | "expired";

/** Called when the run starts. Must not reject, and cleans up when the signal fires. */
export type WaitInRun = (signal: AbortSignal) => Promise<void>;

export interface Submission {
  /** Resolves at `agent_start`, or when it is certain that there will be none. Rejects if no run could be started. */
  started: Promise<PromptOutcome>;
  /**
   * Resolves when everything that the prompt caused is over: with the result of its run, or undefined if it had none.
   */
  finished: Promise<RunResult | undefined>;
}

export interface RunOptions {
  /** What the started run waits for before it processes the messages. */
  after?: WaitInRun | undefined;
  /** Ends the run after this time, counted from the call. */
  timeoutMs?: number | undefined;
}

export interface RunControllerParts {
  agent: Agent;
  results: RunResults;
  clock: Clock;
  emit(event: AgentSessionEvent): void;
  /** Called between the end of a run and `agent_settled`. Must not reject. */
  afterRun(): Promise<void>;
}

/** Runs at most one run at a time, from its acceptance to `agent_settled`. */
export class RunController {
  readonly #parts: RunControllerParts;
  #settled: Promise<void> = Promise.resolve();
  #newestResult: Promise<RunResult | undefined> = Promise.resolve(undefined);
  #newest: RunClaim | undefined;

  constructor(parts: RunControllerParts) {
    this.#parts = parts;
  }

  /**
   * Claims the run immediately and starts it later: nothing is emitted before the caller's current job has ended. `prepare` returns
   * the function that supplies the messages, which is called once nothing can prevent the start, or throws the reason why no run
   * can start. If it returns undefined, an extension has handled the prompt and there is nothing to run.
   */
  begin(
    prepare: (signal: AbortSignal) => Promise<(() => AgentMessage[]) | undefined>,
    { after, timeoutMs }: RunOptions = {},
  ): Submission {
    const { results } = this.#parts;
    const claim = this.#claim();
    const account = results.open();
    const stopTimer = this.#limitTime(claim, timeoutMs);
    const previous = this.#settled;
    const started = (async () => {
      try {
        await previous;
        results.activate(account);
        const takePrompt = await prepare(claim.signal);
        if (claim.signal.aborted) throw new AbortedBeforeStartError();
        if (takePrompt) return { outcome: "run" as const, run: claim.start(takePrompt(), after?.(claim.signal)) };
        claim.release();
        return { outcome: "handled" as const };
      } catch (error) {
        claim.release();
        if (isExpired(claim)) return { outcome: "expired" as const };
        throw error instanceof AbortedBeforeStartError ? new SessionError("cancelled", error.message) : error;
      }
    })();
    const finished = started
      .then(async ({ outcome, run }) => {
        if (outcome === "expired") return results.without(expired(claim));
        if (!run) return undefined;
        const end = await run;
        const aborted = claim.signal.aborted;
        await this.#parts.afterRun();
        const result = await results.finish(account, end);
        this.#parts.emit({ type: "agent_settled", aborted });
        return result;
      })
      .finally(stopTimer);
    const begun = started.then(({ outcome }) => outcome);
    begun.catch(() => {}); // a caller may use only one of the two
    this.#newestResult = finished;
    this.#settled = finished.then(
      () => {},
      () => {},
    );
    return { started: begun, finished };
  }

  /** The signal of the active run. */
  get signal(): AbortSignal | undefined {
    return this.#parts.agent.isRunning ? this.#newest?.signal : undefined;
  }

  /** Aborts the run. Resolves when the run and everything after it are over. */
  abort(): Promise<void> {
    return this.endOfNewest()();
  }

  /** Returns a function that ends the run that is now the newest. It does not affect runs that start later. */
  endOfNewest(): () => Promise<void> {
    const claim = this.#newest;
    const settled = this.#settled;
    return async () => {
      if (claim === this.#newest) await this.#parts.agent.abort();
      await settled;
    };
  }

  /** Resolves when there is nothing left to do for any run begun so far. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /** Returns the result of the newest run. Rejects if none was started for its prompt. */
  result(): Promise<RunResult | undefined> {
    return this.#newestResult;
  }

  /** Ends the run after a time. Returns the function that stops the timer. */
  #limitTime(claim: RunClaim, timeoutMs: number | undefined): () => void {
    if (timeoutMs === undefined) return () => {};
    const { agent, clock } = this.#parts;
    const stop = new AbortController();
    // A delay does not reject; the end of the run is awaited where it was begun.
    void clock.delay(timeoutMs, stop.signal).then(() => {
      const isOver = stop.signal.aborted || claim !== this.#newest;
      if (!isOver) void agent.abort("timeout", timeoutText(timeoutMs)); // does not reject
    });
    return () => stop.abort();
  }

  #claim(): RunClaim {
    try {
      this.#newest = this.#parts.agent.claim();
      return this.#newest;
    } catch (error) {
      throw error instanceof AgentBusyError ? new SessionError("busy", error.message) : error;
    }
  }
}

const timeoutText = (timeoutMs: number) => `its time limit (timeoutMs: ${timeoutMs}) was reached`;

function expired({ signal }: RunClaim): Parameters<RunResults["without"]>[0] {
  const why = signal.reason instanceof RunEnded ? signal.reason.why : undefined;
  return { status: "aborted", endedBy: "timeout", ...(why !== undefined && { error: endError(why) }) };
}

function isExpired({ signal }: RunClaim): boolean {
  return signal.reason instanceof RunEnded && signal.reason.endedBy === "timeout";
}
