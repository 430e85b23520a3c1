import { existsSync } from "node:fs";
import { isRecord } from "@pintle/ai";
import {
  dataIn,
  type FrameHold,
  type HoldTarget,
  isSuccess,
  type OpenedSession,
  type OpenLog,
} from "@pintle/gateway/cluster";
import type { LeaseTime } from "../lease-time.ts";
import type { Lease, Leases } from "../leases.ts";
import { CommitBuffer, type CommitBufferParts } from "../log/commit-buffer.ts";
import type { LostCommands } from "./lost-commands.ts";

export interface ClusterLogParts extends Omit<CommitBufferParts, "session"> {
  lease: Lease;
  leases: Leases;
  leaseTime: LeaseTime;
  answered: readonly { key: string; tail: string }[];
  kept: readonly string[];
  /** From the previous owner. Undefined if it closed the session properly, or if there was none. */
  lost: LostCommands | undefined;
  /** True if the previous owner shut down in the middle of a run. */
  wasHandedOver: boolean;
  onTakeover: "report" | "continue";
  /** Called if the file contains something that the log lacks. */
  onUnstored(): void;
  /** Writes the session file again. */
  writeFile(): Promise<string | undefined>;
}

/** A session of the log that is open here. */
export class ClusterLog implements OpenLog {
  readonly #parts: ClusterLogParts;
  #buffer: CommitBuffer | undefined;

  constructor(parts: ClusterLogParts) {
    this.#parts = parts;
  }

  get fence(): number {
    return this.#parts.lease.fence;
  }

  /** Called when the lease was extended by a statement sent at that time. */
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

  readonly openHold = (session: HoldTarget): FrameHold => {
    const buffer = new CommitBuffer({ ...this.#parts, session });
    buffer.keep(this.#parts.kept);
    this.#buffer = buffer;
    return buffer;
  };

  async ensureFile(file: string | undefined): Promise<string | undefined> {
    const buffer = this.#buffer;
    if (file !== undefined && existsSync(file) && !buffer?.isFileBehind) return file;
    await buffer?.drained(); // the log stores it first
    const written = await this.#parts.writeFile();
    if (buffer) buffer.isFileBehind = false;
    return written ?? file;
  }

  opened(live: OpenedSession): void {
    const { lost, leases, lease } = this.#parts;
    leases.opened(lease.sessionId);
    if (!lost) return;
    live.commands.request({ type: "get_state" }, (tail) => {
      const state = isSuccess(tail) ? dataIn(tail) : undefined;
      const interrupted = isRecord(state) && isRecord(state.interrupted) ? state.interrupted : undefined;
      const uncertain = Array.isArray(interrupted?.uncertain)
        ? (interrupted.uncertain as { toolCallId: string }[])
        : [];
      if (lost.isEmpty && interrupted?.cause !== "lost") return;
      live.reportLostRun({ prompts: lost.prompts(), uncertain: uncertain.map(({ toolCallId }) => toolCallId) });
      this.#buffer?.record(lost.reported);
      // Only once after a crash, because a run that crashes its node must not go through all nodes.
      const mayContinue = this.#parts.wasHandedOver || lost.prompts().length > 0;
      if (this.#parts.onTakeover === "continue" && mayContinue)
        live.commands.request({ type: "continue_run" }, () => {}); // its events report the outcome
    });
  }

  drop(): void {
    this.#buffer?.close();
  }

  get continuesElsewhere(): boolean {
    return this.#parts.onTakeover === "continue";
  }

  /** Stores what the engine has reported so far, and leaves its run to the next owner. */
  async handOver(): Promise<void> {
    const { leases, lease, log } = this.#parts;
    this.#buffer?.close();
    await leases
      .handOver(lease)
      .catch((error: unknown) => log(`the lease of ${lease.sessionId} will expire by itself: ${error}`));
  }

  /** Writes nothing more under this lease. If the database is unavailable, the lease expires. */
  async release(): Promise<void> {
    const { leases, lease, log } = this.#parts;
    if (this.#buffer && !this.#buffer.isDrained) {
      log(`the database is unavailable: the end of the session ${lease.sessionId} is only in its file`);
      this.#parts.onUnstored();
    }
    this.#buffer?.close();
    await leases
      .release(lease)
      .catch((error: unknown) => log(`the lease of ${lease.sessionId} will expire by itself: ${error}`));
  }
}
