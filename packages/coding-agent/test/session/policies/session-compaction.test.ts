import { expect, test } from "bun:test";
import { SessionCompaction, type SessionCompactionParts } from "../../../src/session/policies/session-compaction.ts";

const SETTINGS: Record<string, unknown> = { "compaction.idleEnabled": true, "compaction.idleTimeoutSeconds": 60 };

test("an opened session begins to rest; moving to another place of its tree does not begin that again", () => {
  const waits: number[] = [];
  const delay = async (ms: number) => {
    waits.push(ms);
    await new Promise<void>(() => {});
  };
  const compaction = new SessionCompaction({
    settings: { get: (key: string) => SETTINGS[key] },
    clock: { now: () => 0, delay },
  } as unknown as SessionCompactionParts);
  expect(waits).toEqual([60_000]);
  compaction.restore("moved");
  expect(waits).toEqual([60_000]);
  compaction.restore("resume");
  expect(waits).toEqual([60_000, 60_000]);
});
