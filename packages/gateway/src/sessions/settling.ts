/**
 * Tracks whether a run is settling: it has ended, but not what follows it (compaction, `agent_settled`, prompt results). This lasts
 * from `agent_end` to `session_settled`, or to the start of the next run.
 */
export class Settling {
  #current: PromiseWithResolvers<void> | undefined;

  /** Resolves when the run has settled. Undefined while no run settles. */
  get promise(): Promise<void> | undefined {
    return this.#current?.promise;
  }

  observe(type: string): void {
    if (type === "agent_end") this.#current ??= Promise.withResolvers();
    else if (type === "agent_start" || type === "session_settled") this.end();
  }

  end(): void {
    this.#current?.resolve();
    this.#current = undefined;
  }
}
