import { delay, errorText } from "@pintle/ai";
import type { Batch } from "@pintle/gateway/cluster";
import { StoreError } from "../database/database.ts";
import type { Lease } from "../leases.ts";
import type { StoreMeter } from "../store-meter.ts";
import type { Blobs } from "./blobs.ts";
import { LeaseLost, type LogTable } from "./log-table.ts";

export interface WriterListener {
  /** The database does not answer, or not in time. */
  degraded(reason: string): void;
  /** It has been unavailable for as long as a run may continue. */
  tooLong(): void;
  recovered(): void;
}

export interface LogWriterParts {
  table: LogTable;
  blobs: Blobs;
  lease: Lease;
  /** Commits so far. */
  writes: number;
  storeTimeoutMs: number;
  meter?: Pick<StoreMeter, "committed"> | undefined;
  listener: WriterListener;
}

/** A commit that takes longer is reported as failed. */
const SLOW_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** SQLSTATE of a row that names one that is not there: an image that was removed since this node stored it. */
const NOT_THERE = "23503";

/** Commits the batches of one session, one after the other, as often as it takes. */
export class LogWriter {
  readonly #parts: LogWriterParts;
  #writes: number;
  #isDegraded = false;
  readonly #closing = new AbortController();

  constructor(parts: LogWriterParts) {
    this.#parts = parts;
    this.#writes = parts.writes;
  }

  /** Resolves when it is committed. Rejects with LeaseLost, also when it was closed before. */
  async commit(batch: Batch): Promise<void> {
    const slow = setTimeout(() => this.#degrade("the database takes long to store what the session tells"), SLOW_MS);
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

  /** What is not committed by now never will be, by this writer. */
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
      await delay(pause * (0.5 + Math.random() / 2), this.#closing.signal); // nodes must not come back all at once
      if (this.#closing.signal.aborted) throw new LeaseLost("The session was closed while the database was away");
    }
  }

  #degrade(reason: string): void {
    if (this.#isDegraded) return;
    this.#isDegraded = true;
    this.#parts.listener.degraded(reason);
  }
}
