import { AbortedBeforeStartError, type Agent, AgentBusyError, type AgentMessage, type RunClaim } from "@pintle/agent";
import { SessionError } from "./session-error.ts";
import type { AgentSessionEvent } from "./session-events.ts";

/** At most one run, from its acceptance to agent_settled. */
export class RunController {
  readonly #agent: Agent;
  readonly #emit: (event: AgentSessionEvent) => void;
  #settled: Promise<void> = Promise.resolve();

  constructor(agent: Agent, emit: (event: AgentSessionEvent) => void) {
    this.#agent = agent;
    this.#emit = emit;
  }

  /**
   * Claims the run at once and starts it later: nothing is emitted before the caller's current job has ended. `prepare`
   * makes the messages, or throws what is then the reason why no run was started.
   */
  begin(prepare: (signal: AbortSignal) => Promise<AgentMessage[]>): {
    started: Promise<void>;
    finished: Promise<void>;
  } {
    const claim = this.#claim();
    const previous = this.#settled;
    const started = (async () => {
      try {
        await previous;
        const prompt = await prepare(claim.signal);
        if (claim.signal.aborted) throw new AbortedBeforeStartError();
        return { run: claim.start(prompt) };
      } catch (error) {
        claim.release();
        throw error instanceof AbortedBeforeStartError ? new SessionError("cancelled", error.message) : error;
      }
    })();
    const finished = started.then(async ({ run }) => {
      await run;
      this.#emit({ type: "agent_settled" });
    });
    this.#settled = finished.catch(() => {}); // who began the run is told through `started`
    return { started: started.then(() => {}), finished };
  }

  /** Resolves when the run and what follows it are over. */
  async abort(): Promise<void> {
    await this.#agent.abort();
    await this.#settled;
  }

  /** Resolves when there is nothing left to do for any run begun so far. */
  settled(): Promise<void> {
    return this.#settled;
  }

  #claim(): RunClaim {
    try {
      return this.#agent.claim();
    } catch (error) {
      throw error instanceof AgentBusyError ? new SessionError("busy", error.message) : error;
    }
  }
}
