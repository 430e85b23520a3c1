import { expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import type { Batch } from "../../../gateway/src/sessions/accepted/batch.ts";
import { StoreError } from "../../src/database/database.ts";
import type { Blobs } from "../../src/log/blobs.ts";
import { CommitBuffer } from "../../src/log/commit-buffer.ts";
import { LeaseLost, type LogTable } from "../../src/log/log-table.ts";

type Step = { what: "entry" | "event" | "prompt" | "settled" | "pause" };

/** A slow table in memory, which sometimes fails after writing, and whose lease another node takes at some moment. */
class UnreliableTable {
  readonly entries: string[] = [];
  readonly accepted: string[] = [];
  writes = 0;
  readonly #troubles: readonly number[];
  readonly #lostAt: number;
  #at = 0;

  constructor(troubles: readonly number[], lostAt: number) {
    this.#troubles = troubles;
    this.#lostAt = lostAt;
  }

  async write(_lease: unknown, writes: number, batch: Batch): Promise<void> {
    const trouble = this.#troubles[this.#at++ % this.#troubles.length] ?? 0;
    if (trouble > 0) await Bun.sleep(trouble % 3);
    if (this.writes >= this.#lostAt) throw new LeaseLost("taken");
    if (trouble === 7) throw new StoreError("away", { isPassing: true });
    if (writes === this.writes) {
      this.writes += 1;
      this.entries.push(...batch.entries.map(({ entryId }) => entryId));
      this.accepted.push(...batch.accepted.keys());
    }
    if (trouble === 8) throw new StoreError("the answer was lost", { isPassing: true });
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom("entry", "entry", "event", "event", "prompt", "settled", "pause"),
});

test(
  "emits everything in order, after all that precedes it is written, unless the lease is lost",
  async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc
        .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 10 })
        .filter((all) => all.some((one) => one < 7)),
      fc.integer({ min: 0, max: 60 }),
      async (steps, troubles, lostAt) => {
        const table = new UnreliableTable(troubles, lostAt);
        const emitted: string[] = [];
        const owed: { line: string; entries: number; accepted: number }[] = [];
        let [entries, accepted, isMoved] = [0, 0, false];
        const buffer = new CommitBuffer({
          session: {
            pass(line) {
              const due = owed[emitted.length]!;
              expect(line).toBe(due.line);
              expect(table.entries.length).toBeGreaterThanOrEqual(due.entries);
              expect(table.accepted.length).toBeGreaterThanOrEqual(due.accepted);
              emitted.push(line);
            },
            emit: () => {},
            abort: () => {},
            moved: () => {
              isMoved = true;
            },
          },
          table: table as unknown as LogTable,
          blobs: { store: async () => [] } as unknown as Blobs,
          lease: { sessionId: "s", fence: 1 },
          writes: 0,
          storeTimeoutMs: 60_000,
          lastEntryId: undefined,
          header: undefined,
          log: () => {},
        });
        const push = (line: string) => {
          owed.push({ line, entries, accepted });
          buffer.push(line);
        };
        for (const [at, { what }] of steps.entries()) {
          if (what === "pause") await Bun.sleep(1);
          if (what === "event") push(`{"type":"message_update","n":${at}}`);
          if (what === "settled") push(`{"type":"session_settled","n":${at}}`);
          if (what === "entry") {
            entries += 1;
            push(
              `{"type":"entry_appended","entry":{"type":"message","id":"e${at}","message":{"role":"user","content":"x"}}}`,
            );
          }
          if (what === "prompt") {
            accepted += 1;
            buffer.sending(`g${at}`, { command: "prompt", key: undefined, fields: { type: "prompt", message: "x" } });
            push(`{"id":"g${at}","type":"response","command":"prompt","success":true}`);
          }
        }
        await buffer.drained();
        if (!isMoved) expect(emitted).toEqual(owed.map(({ line }) => line));
        expect(table.entries).toEqual([...new Set(table.entries)]);
        if (!isMoved) expect([table.entries.length, table.accepted.length]).toEqual([entries, accepted]);
      },
    );
    await fc.assert(property, propertyRuns({ numRuns: 60, seed: 24 }));
  },
  PROPERTY_TIMEOUT_MS,
);
