import type { GatewaySession, RpcEvent } from "@pintle/client/core";
import { Cell, type ReadonlyCell } from "./cell.ts";
import { EarlierEntries } from "./earlier-entries.ts";
import { Outbox } from "./outbox.ts";
import { SessionFacts } from "./session-facts.ts";
import { SessionJobs } from "./session-jobs.ts";
import { ShellRuns } from "./shell-runs.ts";
import { Transcript } from "./transcript.ts";

/** Events that this page requests in addition to those sent to every host. */
const EVENTS = ["*", "entry_appended", "message_appended", "bash_execution_update"];
/** Events after which the figures change. */
const COSTLY: ReadonlySet<string> = new Set(["session_snapshot", "turn_end", "agent_settled", "auto_compaction_end"]);

/**
 * The current session. Parts of the page use its commands (`rpc`), watch its facts and listen to its events. Everything they
 * set up ends with `signal`, when another session replaces it.
 */
export class OpenSession {
  readonly rpc: GatewaySession;
  readonly facts = new SessionFacts();
  readonly transcript = new Transcript();
  readonly outbox = new Outbox();
  readonly earlier: EarlierEntries;
  readonly shell: ShellRuns;
  readonly jobs: SessionJobs;
  /** Why the session is no longer usable: closed, deleted, or lost with its server. */
  readonly #ended = new Cell<string | undefined>(undefined);
  readonly #left = new AbortController();
  #areFiguresAsked = false;

  constructor(rpc: GatewaySession) {
    this.rpc = rpc;
    this.earlier = new EarlierEntries(this);
    this.shell = new ShellRuns(rpc);
    this.jobs = new SessionJobs(rpc);
    this.onEvent((event) => {
      this.facts.apply(event);
      this.transcript.apply(event);
      this.shell.apply(event);
      this.jobs.apply(event);
      if (COSTLY.has(event.type)) this.renewFigures();
    });
    void this.#watchEnd(); // waits for the stream to fail
  }

  get id(): string {
    return this.rpc.sessionId;
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  get ended(): ReadonlyCell<string | undefined> {
    return this.#ended;
  }

  /** Every event, until the session is left. */
  onEvent(listener: (event: RpcEvent) => void): void {
    this.signal.addEventListener("abort", this.rpc.onEvent(listener));
  }

  on<T extends RpcEvent["type"]>(type: T, listener: (event: Extract<RpcEvent, { type: T }>) => void): void {
    this.onEvent((event) => {
      if (event.type === type) listener(event as Extract<RpcEvent, { type: T }>); // compared
    });
  }

  /** From here on every event is received, starting with a snapshot that `attach` requests. */
  async begin(attach: () => Promise<unknown>): Promise<void> {
    // The first run is to be allowed to work in the background, so it must not start before this.
    await Promise.all([this.rpc.setEventFilter({ events: EVENTS }), this.jobs.allow()]);
    await attach();
  }

  /** Called when another session is shown, or the same one again, which keeps receiving events. */
  async leave({ detaches }: { detaches: boolean }): Promise<void> {
    this.#left.abort();
    if (detaches && this.#ended.value === undefined) await this.rpc.detach();
  }

  renewFigures(): void {
    if (this.#areFiguresAsked) return;
    this.#areFiguresAsked = true;
    const asked = this.rpc.getSessionStats();
    asked
      .then(({ lifetime, contextUsage }) =>
        this.facts.figures.set({ cost: lifetime.cost, ...(contextUsage && { context: contextUsage }) }),
      )
      .catch(() => {}) // the process of the session has ended, which is reported separately
      .finally(() => {
        this.#areFiguresAsked = false;
      });
  }

  /** The stream of events fails when the session ends here, with the reason. */
  async #watchEnd(): Promise<void> {
    try {
      for await (const _ of this.rpc.events({ signal: this.signal }));
    } catch (error) {
      if (!this.signal.aborted) this.#ended.set(error instanceof Error ? error.message : String(error));
    }
  }
}
