import { expect, test } from "bun:test";
import type { Batch } from "../../../gateway/src/sessions/accepted/batch.ts";
import type { Blobs } from "../../src/log/blobs.ts";
import { CommitBuffer } from "../../src/log/commit-buffer.ts";
import type { LogTable } from "../../src/log/log-table.ts";

const PROMPT = '{"id":"g1","type":"response","command":"prompt","success":true}';
const ENTRY =
  '{"type":"entry_appended","entry":{"type":"message","id":"e1","message":{"role":"user","content":[{"type":"text","text":"do it"}]}}}';

/** A buffer with an accepted prompt, what it has emitted, and the state of the command table. */
async function accepted() {
  const emitted: string[] = [];
  const outcomes: (string | null)[] = [];
  const entries: string[] = [];
  let moves = 0;
  const table = {
    async write(_lease: unknown, _writes: number, { accepted: begun, changes, entries: some }: Batch) {
      entries.push(...some.map(({ line }) => line));
      outcomes.push(...[...begun.values(), ...changes.values()].map(({ outcome }) => outcome));
    },
  };
  const buffer = new CommitBuffer({
    session: {
      pass: (line) => void emitted.push(line),
      emit: () => {},
      abort: () => {},
      moved: () => {
        moves += 1;
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
  buffer.sending("g1", { command: "prompt", key: "k", fields: { type: "prompt", message: "do it" } });
  buffer.push(PROMPT);
  await buffer.drained();
  return { buffer, emitted, outcomes, entries, moves: () => moves };
}

test("the log contains an accepted prompt even if the worker dies before writing it", async () => {
  const { buffer, emitted, outcomes, entries, moves } = await accepted();
  buffer.workerDied();
  await buffer.drained();
  expect({ emitted, moves: moves(), isFileBehind: buffer.isFileBehind }).toEqual({
    emitted: [PROMPT],
    moves: 0,
    isFileBehind: true,
  });
  expect(entries.map((line) => (JSON.parse(line) as { message: { content: unknown } }).message.content)).toEqual([
    [{ type: "text", text: "do it" }],
  ]);
  expect(outcomes.at(-1)).toBe("worker_exited");
});

test("an accepted prompt ends if the worker dies after writing it", async () => {
  const { buffer, emitted, outcomes, moves } = await accepted();
  buffer.push(ENTRY);
  buffer.workerDied();
  await buffer.drained();
  expect({ emitted, moves: moves(), isFileBehind: buffer.isFileBehind }).toEqual({
    emitted: [PROMPT, ENTRY],
    moves: 0,
    isFileBehind: false,
  });
  expect(outcomes.at(-1)).toBe("worker_exited");
});
