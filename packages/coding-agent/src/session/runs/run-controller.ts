import { AbortedBeforeStartError, type Agent, AgentBusyError, type AgentMessage, type RunClaim } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";
import { SessionError } from "../../storage/session-error.ts";

/** What became of a prompt: it began a run, waits in a queue, or needed no model. */
export type PromptOutcome = "run" | "queued" | "handled";

/** Begun when the run starts. Must not reject, and leaves nothing behind when the signal fires. */
export type WaitInRun = (signal: AbortSignal) => Promise<void>;

export interface Submission {
  /** Resolves at agent_start, or when it is clear that none comes. Rejects when no run could be started. */
  started: Promise<PromptOutcome>;
  /** Resolves when everything the prompt caused is over. */
  finished: Promise<void>;
}

/** At most one run, from its acceptance to agent_settled. */
export class RunController {
  readonly #agent: Agent;
  readonly #emit: (event: AgentSessionEvent) => void;
  readonly #afterRun: () => Promise<void>;
  #settled: Promise<void> = Promise.resolve();
  #newest: RunClaim | undefined;

  /** `afterRun` is what is left to do between the end of a run and the moment it is settled. Must not reject. */
  constructor(agent: Agent, emit: (event: AgentSessionEvent) => void, afterRun: () => Promise<void>) {
    this.#agent = agent;
    this.#emit = emit;
    this.#afterRun = afterRun;
  }

  /**
   * Claims the run at once and starts it later: nothing is emitted before the caller's current job has ended. `prepare`
   * gives the way to the messages, which is taken when nothing can stop the run from starting any more, or throws what is
   * then the reason why none was started. Without a way there is nothing to run: an extension has dealt with the prompt.
   * `after` is what the started run waits for before it takes up the messages.
   */
  begin(prepare: (signal: AbortSignal) => Promise<(() => AgentMessage[]) | undefined>, after?: WaitInRun): Submission {
    const claim = this.#claim();
    const previous = this.#settled;
    const started = (async () => {
      try {
        await previous;
        const takePrompt = await prepare(claim.signal);
        if (claim.signal.aborted) throw new AbortedBeforeStartError();
        if (takePrompt) return { run: claim.start(takePrompt(), after?.(claim.signal)) };
        claim.release();
        return { run: undefined };
      } catch (error) {
        claim.release();
        throw error instanceof AbortedBeforeStartError ? new SessionError("cancelled", error.message) : error;
      }
    })();
    const finished = started.then(async ({ run }) => {
      if (!run) return;
      await run;
      const aborted = claim.signal.aborted;
      await this.#afterRun();
      this.#emit({ type: "agent_settled", aborted });
    });
    const begun = started.then(({ run }) => (run ? "run" : "handled"));
    begun.catch(() => {}); // a caller may look at one of the two only
    this.#settled = finished.catch(() => {});
    return { started: begun, finished };
  }

  /** Of the run that is active. */
  get signal(): AbortSignal | undefined {
    return this.#agent.isRunning ? this.#newest?.signal : undefined;
  }

  /** Resolves when the run and what follows it are over. */
  abort(): Promise<void> {
    return this.endOfNewest()();
  }

  /** The way to end, now or later, the run that is the newest at this moment. One that begins afterwards is left alone. */
  endOfNewest(): () => Promise<void> {
    const claim = this.#newest;
    const settled = this.#settled;
    return async () => {
      if (claim === this.#newest) await this.#agent.abort();
      await settled;
    };
  }

  /** Resolves when there is nothing left to do for any run begun so far. */
  settled(): Promise<void> {
    return this.#settled;
  }

  #claim(): RunClaim {
    try {
      this.#newest = this.#agent.claim();
      return this.#newest;
    } catch (error) {
      throw error instanceof AgentBusyError ? new SessionError("busy", error.message) : error;
    }
  }
}
