import { existsSync } from "node:fs";
import { isRecord } from "@pintle/ai";
import type { GatedSession, LineGate } from "../../sessions/line-gate.ts";
import type { LiveSession } from "../../sessions/live-session.ts";
import type { OpenLog } from "../../sessions/open-log.ts";
import { isSuccess } from "../../sessions/sent-commands.ts";
import { dataIn } from "../../sessions/snapshot.ts";
import type { LeaseTime } from "../lease-time.ts";
import type { Lease, Leases } from "../leases.ts";
import { LogGate, type LogGateParts } from "../log/log-gate.ts";
import type { LostCommands } from "./lost-commands.ts";

export interface ClusterLogParts extends Omit<LogGateParts, "session"> {
  lease: Lease;
  leases: Leases;
  leaseTime: LeaseTime;
  answered: readonly { key: string; tail: string }[];
  kept: readonly string[];
  /** Of the owner before; undefined: it has closed the session in order, or there was none. */
  lost: LostCommands | undefined;
  /** The owner before left in order, in the middle of a run. */
  wasHandedOver: boolean;
  onTakeover: "report" | "continue";
  /** The file holds what the log does not. */
  onUnstored(): void;
  /** Writes the session file again. */
  writeFile(): Promise<string | undefined>;
}

/** A session of the log that is open here. */
export class ClusterLog implements OpenLog {
  readonly #parts: ClusterLogParts;
  #gate: LogGate | undefined;

  constructor(parts: ClusterLogParts) {
    this.#parts = parts;
  }

  get fence(): number {
    return this.#parts.lease.fence;
  }

  /** The lease was extended by a statement that was sent then. */
  extended(sentAt: number): void {
    this.#parts.leaseTime.extended(sentAt);
  }

  workableMs(): number {
    return this.#parts.leaseTime.remaining();
  }

  get answered(): OpenLog["answered"] {
    return this.#parts.answered;
  }

  get kept(): readonly string[] {
    return this.#parts.kept;
  }

  readonly openGate = (session: GatedSession): LineGate => {
    const gate = new LogGate({ ...this.#parts, session });
    gate.keep(this.#parts.kept);
    this.#gate = gate;
    return gate;
  };

  async ensureFile(file: string | undefined): Promise<string | undefined> {
    const gate = this.#gate;
    if (file !== undefined && existsSync(file) && !gate?.isFileBehind) return file;
    await gate?.drained(); // what stands in the log first
    const written = await this.#parts.writeFile();
    if (gate) gate.isFileBehind = false;
    return written ?? file;
  }

  opened(live: LiveSession): void {
    const { lost, leases, lease } = this.#parts;
    leases.opened(lease.sessionId);
    if (!lost) return;
    live.request({ type: "get_state" }, (tail) => {
      const state = isSuccess(tail) ? dataIn(tail) : undefined;
      const interrupted = isRecord(state) && isRecord(state.interrupted) ? state.interrupted : undefined;
      const uncertain = Array.isArray(interrupted?.uncertain)
        ? (interrupted.uncertain as { toolCallId: string }[])
        : [];
      if (lost.isEmpty && interrupted?.cause !== "lost") return;
      live.tellLostRun({ prompts: lost.prompts(), uncertain: uncertain.map(({ toolCallId }) => toolCallId) });
      this.#gate?.record(lost.told);
      // Once after a crash: a run that ends its node again and again must not go through all of them.
      const mayContinue = this.#parts.wasHandedOver || lost.prompts().length > 0;
      if (this.#parts.onTakeover === "continue" && mayContinue) live.request({ type: "continue_run" }, () => {}); // told by its events
    });
  }

  drop(): void {
    this.#gate?.close();
  }

  get continuesElsewhere(): boolean {
    return this.#parts.onTakeover === "continue";
  }

  /** Stores what the engine has reported so far, and leaves its run to the next owner. */
  async handOver(): Promise<void> {
    const { leases, lease, log } = this.#parts;
    this.#gate?.close();
    await leases
      .handOver(lease)
      .catch((error: unknown) => log(`the lease of ${lease.sessionId} runs out by itself: ${error}`));
  }

  /** Nothing is written under this lease any more. Of a database that is away, the lease runs out. */
  async release(): Promise<void> {
    const { leases, lease, log } = this.#parts;
    if (this.#gate && !this.#gate.isDrained) {
      log(`the database is away: the end of the session ${lease.sessionId} is only in its file`);
      this.#parts.onUnstored();
    }
    this.#gate?.close();
    await leases
      .release(lease)
      .catch((error: unknown) => log(`the lease of ${lease.sessionId} runs out by itself: ${error}`));
  }
}
