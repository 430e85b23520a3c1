/** The last events of a run after which a job may continue. */
const YIELDS: ReadonlySet<string> = new Set(["agent_settled", "prompt_result"]);

/**
 * Tracks whether a run is settling: it has ended, but not what follows it (compaction, `agent_settled`, prompt results). This lasts
 * from `agent_end` to `session_settled`, or to the start of the next run. `session_settled` does not follow soon if a job runs in
 * the background.
 */
export class Settling {
  #current: PromiseWithResolvers<void> | undefined;

  /** Resolves when the run has settled. Undefined while no run settles. */
  get promise(): Promise<void> | undefined {
    return this.#current?.promise;
  }

  /** `isYielded`: only a job in the background is still awaited. */
  observe(type: string, isYielded: boolean): void {
    if (type === "agent_end") this.#current ??= Promise.withResolvers();
    else if (type === "agent_start" || type === "session_settled" || (YIELDS.has(type) && isYielded)) this.end();
  }

  end(): void {
    this.#current?.resolve();
    this.#current = undefined;
  }
}
