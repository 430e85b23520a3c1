import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { assistant, user } from "./support/messages.ts";
import { header, messageEntry, testStore, writeSession } from "./support/stores.ts";
import { countingDisk, type DiskUse } from "./support/test-disk.ts";

const unused = (): DiskUse => ({ bytesRead: 0, bytesWritten: 0, writes: 0, calls: {} });

/** Returns the cost of one append after the session has grown to this many entries. */
function useOfOneAppend(entries: number): { use: DiskUse; grown: number } {
  const use = unused();
  const { store } = testStore({ disk: countingDisk(use) });
  const session = store.create();
  for (let index = 0; index < entries; index += 1) session.appendMessage(user("x"));
  session.setLabel(session.leafId as string, "a label");
  const before = statSync(session.sessionFile as string).size;
  Object.assign(use, unused());
  session.appendMessage(assistant("y"));
  const grown = statSync(session.sessionFile as string).size - before;
  session.close();
  return { use: { ...use, calls: pick(use.calls) }, grown };
}

/** Excludes the calls of `close`. */
function pick(calls: Record<string, number>): Record<string, number> {
  const { writeSync, statSync: stats, readSync, renameSync, openSync } = calls;
  return JSON.parse(JSON.stringify({ writeSync, statSync: stats, readSync, renameSync, lockOpens: openSync }));
}

describe("appending", () => {
  test("is one write of one line and one look at the size, however long the session is", () => {
    const costs = [10, 2_000, 20_000].map(useOfOneAppend);
    for (const { use, grown } of costs) {
      expect(use.bytesWritten).toBe(grown);
      expect(use.writes).toBe(1);
      expect(use.calls.statSync).toBe(1);
      expect(use.calls.renameSync).toBeUndefined();
      expect(use.calls.readSync).toBeUndefined();
    }
    expect(new Set(costs.map(({ use }) => JSON.stringify({ ...use, bytesWritten: 0 }))).size).toBe(1);
  });

  test("gives back the complete line: it is in the file when the call returns", () => {
    const { store } = testStore();
    const session = store.create();
    for (let index = 0; index < 50; index += 1) {
      const entry = session.appendMessage(user(`message ${index}`));
      expect(readFileSync(session.sessionFile as string, "utf8").endsWith(`${JSON.stringify(entry)}\n`)).toBe(true);
    }
    session.close();
  });
});

describe("loading", () => {
  test("reads each byte once, in chunks, and lets others work in between", async () => {
    const entries = Array.from({ length: 400 }, (_, index) =>
      messageEntry(`id-${index}`, index === 0 ? null : `id-${index - 1}`, user("long ".repeat(2_000))),
    );
    const path = writeSession([header(), ...entries, messageEntry("huge", "id-399", user("🌍".repeat(900_000)))]);
    const use = unused();
    const { store } = testStore({ disk: countingDisk(use) });
    let turns = 0;
    let isLoaded = false;
    const others = (async () => {
      for (; !isLoaded; turns += 1) await new Promise(setImmediate);
    })();
    const session = await store.open(path, { access: "read" });
    isLoaded = true;
    await others;
    const size = statSync(path).size;
    expect(session.entries()).toHaveLength(401);
    expect(use.bytesRead).toBe(size);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(size / (1 << 20)));
    expect(use.calls.readSync).toBeGreaterThanOrEqual(size / (1 << 20));
  });
});

test("creating a session asks the disk nothing", () => {
  const use = unused();
  const { store } = testStore({ disk: countingDisk(use) });
  const session = store.create();
  store.createInMemory().appendMessage(user("x"));
  session.appendModelChange({ provider: "p", modelId: "m" });
  session.buildContext();
  session.close();
  expect(use).toEqual(unused());
});
