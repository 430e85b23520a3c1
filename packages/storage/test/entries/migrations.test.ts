import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assistant, user } from "../support/messages.ts";
import { header, messageEntry, recordsOf, stateOf, testStore, texts, writeSession } from "../support/stores.ts";

const { version: _, ...v1Header } = header({ id: "old" });
const at = "2025-01-01T00:00:00.000Z";
const v1 = [
  v1Header,
  { type: "message", timestamp: at, message: user("one") },
  { type: "message", timestamp: at, message: assistant("two") },
  { type: "message", timestamp: at, message: user("three") },
  { type: "message", timestamp: at, message: assistant("four") },
  {
    type: "compaction",
    timestamp: at,
    summary: "summed up",
    firstKeptEntryIndex: 3,
    tokensBefore: 9,
    extra: { kept: true },
  },
  {
    type: "message",
    timestamp: at,
    message: { role: "hookMessage", customType: "h", content: "hook", display: true, timestamp: 1 },
  },
  { type: "unheard_of", timestamp: at, firstKeptEntryIndex: 3 },
];

describe("version 1", () => {
  test("its order becomes the tree, and indices that count the header become ids", async () => {
    const { store } = testStore();
    const session = await store.open(writeSession(v1));
    const entries = session.entries();
    expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...entries.slice(0, -1).map(({ id }) => id)]);
    expect(entries[4]).toMatchObject({ firstKeptEntryId: entries[2]?.id, extra: { kept: true } });
    expect(entries[4]).not.toHaveProperty("firstKeptEntryIndex");
    expect(entries[6]).toMatchObject({ type: "unheard_of", firstKeptEntryIndex: 3 });
    expect(texts(session.buildContext().messages)).toEqual(["[summed up]", "three", "four", "hook"]);
    expect(session.buildContext().messages.map(({ role }) => role)).toContain("custom");
    expect(session.header).toEqual({ ...v1Header, version: 3 } as typeof session.header);
    session.close();
  });

  test("gives the same ids on every load", async () => {
    const { store } = testStore();
    const path = writeSession(v1);
    const ids = [];
    for (const _attempt of [1, 2]) {
      const session = await store.open(path);
      ids.push(session.entries().map(({ id }) => id));
      session.close();
    }
    expect(ids[0]).toEqual(ids[1] as string[]);
  });

  test("the file changes with the first entry that must be stored, and the old one is kept", async () => {
    const { store } = testStore();
    const path = writeSession(v1);
    chmodSync(path, 0o640);
    const before = readFileSync(path);
    const session = await store.open(path);
    session.sync();
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dirname(path))).toHaveLength(2); // the session and its lock
    session.appendMessage(user("five"));
    expect(readFileSync(`${path}.bak`).equals(before)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    session.appendMessage(assistant("six"));
    session.close();
    expect(readdirSync(dirname(path)).sort()).toEqual(["session.jsonl", "session.jsonl.bak"]);
    expect(recordsOf(path)[0]).toMatchObject({ version: 3, id: "old" });
    const again = await store.open(path);
    expect(stateOf(again)).toEqual(stateOf(session));
    again.close();
  });

  test("a backup that is there already stays", async () => {
    const { store } = testStore();
    const path = writeSession(v1);
    writeFileSync(`${path}.bak`, "mine");
    const session = await store.open(path);
    session.appendMessage(user("five"));
    session.close();
    expect(readFileSync(`${path}.bak`, "utf8")).toBe("mine");
    const other = readdirSync(dirname(path)).find((name) => name.startsWith("session.jsonl.bak-")) as string;
    expect(recordsOf(join(dirname(path), other))).toHaveLength(v1.length);
  });
});

test("version 2: messages of hooks become custom messages, everything else stays", async () => {
  const { store } = testStore();
  const hook = { role: "hookMessage", customType: "h", content: "from a hook", display: true, timestamp: 1 };
  const path = writeSession([
    header({ version: 2 }),
    messageEntry("a", null, user("one")),
    messageEntry("b", "a", hook as never),
    { type: "later", id: "c", parentId: "b", timestamp: at, x: 1 },
  ]);
  const session = await store.open(path);
  expect(session.entry("b")).toMatchObject({ message: { ...hook, role: "custom" } });
  session.appendMessage(user("two"));
  session.close();
  expect(recordsOf(path).slice(0, 4)).toEqual(
    [
      header(),
      messageEntry("a", null, user("one")),
      messageEntry("b", "a", { ...hook, role: "custom" } as never),
      { type: "later", id: "c", parentId: "b", timestamp: at, x: 1 },
    ].map((record, index) => (index === 1 ? expect.objectContaining({ id: "a" }) : record)),
  );
});
