import { delay, errorText } from "@pintle/ai";
import type { Batch } from "@pintle/gateway/cluster";
import { StoreError } from "../database/database.ts";
import type { Lease } from "../leases.ts";
import type { StoreMeter } from "../store-meter.ts";
import type { Blobs } from "./blobs.ts";
import { LeaseLost, type LogTable } from "./log-table.ts";

export interface WriterListener {
  /** Called if the database does not answer, or not in time. */
  degraded(reason: string): void;
  /** Called if the database has been unavailable for as long as a run may continue. */
  tooLong(): void;
  recovered(): void;
}

export interface LogWriterParts {
  table: LogTable;
  blobs: Blobs;
  lease: Lease;
  /** Number of commits so far. */
  writes: number;
  storeTimeoutMs: number;
  meter?: Pick<StoreMeter, "committed"> | undefined;
  listener: WriterListener;
}

/** A commit that takes longer is reported as failed. */
const SLOW_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** SQLSTATE of a row that refers to a missing one: an image that was removed after this node stored it. */
const NOT_THERE = "23503";

/** Commits the batches of one session, one after the other, and retries each as often as necessary. */
export class LogWriter {
  readonly #parts: LogWriterParts;
  #writes: number;
  #isDegraded = false;
  readonly #closing = new AbortController();

  constructor(parts: LogWriterParts) {
    this.#parts = parts;
    this.#writes = parts.writes;
  }

  /** Resolves when the batch is committed. Rejects with LeaseLost, even if the writer was closed before. */
  async commit(batch: Batch): Promise<void> {
    const slow = setTimeout(() => this.#degrade("the database is slow to store the session's output"), SLOW_MS);
    const tooLong = setTimeout(() => this.#parts.listener.tooLong(), this.#parts.storeTimeoutMs);
    const beganAt = performance.now();
    try {
      await this.#untilCommitted(batch);
      this.#parts.meter?.committed(performance.now() - beganAt);
      this.#writes += 1;
      if (this.#isDegraded) this.#parts.listener.recovered();
      this.#isDegraded = false;
    } finally {
      clearTimeout(slow);
      clearTimeout(tooLong);
    }
  }

  /** Closes the writer. It will not commit anything that is still waiting. */
  close(): void {
    this.#closing.abort();
  }

  async #untilCommitted(batch: Batch): Promise<void> {
    const { table, blobs, lease } = this.#parts;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        if (batch.blobs.size > 0) {
          const there = await blobs.store(batch.blobs);
          batch.blobs.clear();
          for (const hash of there) batch.blobs.add(hash);
        }
        return await table.write(lease, this.#writes, batch);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (error.state === NOT_THERE) blobs.forget(batch.blobs);
        this.#degrade(errorText(error));
      }
      await delay(pause * (0.5 + Math.random() / 2), this.#closing.signal); // nodes must not all retry at the same moment
      if (this.#closing.signal.aborted)
        throw new LeaseLost("The session was closed while the database was unavailable");
    }
  }

  #degrade(reason: string): void {
    if (this.#isDegraded) return;
    this.#isDegraded = true;
    this.#parts.listener.degraded(reason);
  }
}
