import { expect, test } from "bun:test";
import type { Blobs } from "../../../src/cluster/log/blobs.ts";
import { LogGate } from "../../../src/cluster/log/log-gate.ts";
import type { LogTable } from "../../../src/cluster/log/log-table.ts";
import type { Batch } from "../../../src/sessions/accepted/batch.ts";

const PROMPT = '{"id":"g1","type":"response","command":"prompt","success":true}';
const ENTRY =
  '{"type":"entry_appended","entry":{"type":"message","id":"e1","message":{"role":"user","content":[{"type":"text","text":"do it"}]}}}';

/** A gate whose prompt was accepted, what it has told, and how commands stand in the table. */
async function accepted() {
  const told: string[] = [];
  const outcomes: (string | null)[] = [];
  const entries: string[] = [];
  let moves = 0;
  const table = {
    async write(_lease: unknown, _writes: number, { accepted: begun, changes, entries: some }: Batch) {
      entries.push(...some.map(({ line }) => line));
      outcomes.push(...[...begun.values(), ...changes.values()].map(({ outcome }) => outcome));
    },
  };
  const gate = new LogGate({
    session: {
      pass: (line) => void told.push(line),
      tell: () => {},
      abort: () => {},
      moved: () => {
        moves += 1;
      },
    },
    table: table as unknown as LogTable,
    blobs: { store: async () => [] } as unknown as Blobs,
    ...{ lease: { sessionId: "s", fence: 1 }, writes: 0, storeTimeoutMs: 60_000, lastEntryId: undefined },
    header: undefined,
    log: () => {},
  });
  gate.sending("g1", { command: "prompt", key: "k", fields: { type: "prompt", message: "do it" } });
  gate.push(PROMPT);
  await gate.drained();
  return { gate, told, outcomes, entries, moves: () => moves };
}

test("a worker that dies before it has written an accepted prompt: the log has it all the same, and the file is behind", async () => {
  const { gate, told, outcomes, entries, moves } = await accepted();
  gate.workerDied();
  await gate.drained();
  expect({ told, moves: moves(), isFileBehind: gate.isFileBehind }).toEqual({
    told: [PROMPT],
    moves: 0,
    isFileBehind: true,
  });
  expect(entries.map((line) => (JSON.parse(line) as { message: { content: unknown } }).message.content)).toEqual([
    [{ type: "text", text: "do it" }],
  ]);
  expect(outcomes.at(-1)).toBe("worker_exited");
});

test("a worker that dies behind an accepted prompt that it has written: the prompt is over", async () => {
  const { gate, told, outcomes, moves } = await accepted();
  gate.push(ENTRY);
  gate.workerDied();
  await gate.drained();
  expect({ told, moves: moves(), isFileBehind: gate.isFileBehind }).toEqual({
    told: [PROMPT, ENTRY],
    moves: 0,
    isFileBehind: false,
  });
  expect(outcomes.at(-1)).toBe("worker_exited");
});
