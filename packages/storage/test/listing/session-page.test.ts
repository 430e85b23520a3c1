import { describe, expect, test } from "bun:test";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import type { ToolCall } from "@pintle/ai";
import fc from "fast-check";
import { systemListingReader } from "../../src/listing/listing-reader.ts";
import { shortestPrefixes } from "../../src/listing/session-listing.ts";
import { assistant, user } from "../support/messages.ts";
import { CWD, testStore } from "../support/stores.ts";

/** Sessions `0` to `count - 1`, each written a second after the previous one. */
function storeWith(count: number, options: Parameters<typeof testStore>[0] = {}) {
  const { store, home } = testStore(options);
  const sessions = Array.from({ length: count }, (_, n) => {
    const session = store.create();
    session.appendMessage(user(`question ${n}`));
    session.close();
    utimesSync(session.sessionFile as string, 1000 + n, 1000 + n);
    return session;
  });
  return { store, home, sessions };
}

/** As Python's json module writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`)
    .join(", ")}}`;
}

function typeLast({ type, ...others }: Record<string, unknown>): object {
  return { ...others, type };
}

describe("a page of sessions", () => {
  test("a search finds words in all messages, and in nothing that programs write for themselves", async () => {
    const { store } = storeWith(1);
    const session = store.create();
    session.appendMessage(user("Look at the weather"));
    session.appendMessage(assistant('The *Wärmepumpe* said "fine".'));
    const call: ToolCall = { type: "toolCall", id: "call-x", name: "bash", arguments: { command: "make ümlaut" } };
    session.appendMessage({ ...assistant(""), content: [call] });
    session.close();
    const find = async (query: string) => (await store.page({ query })).sessions.length;
    expect(await find("wärmepumpe")).toBe(1);
    expect(await find('"FINE" make weather')).toBe(1);
    expect(await find("ümlaut")).toBe(1);
    expect(await find("question")).toBe(1);
    for (const absent of ["weather question", "toolCall", "call-x", "arguments", "stopReason"])
      expect([absent, await find(absent)]).toEqual([absent, 0]);
  });

  test("pages of any size make the whole list, each session once, newest first", async () => {
    const { store } = storeWith(23);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.page({ limit, cursor });
          expect(page.sessions.length).toBeLessThanOrEqual(limit);
          found.push(...page.sessions.map(({ firstMessage = "" }) => firstMessage));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(found).toEqual(Array.from({ length: 23 }, (_, n) => `question ${22 - n}`));
      }),
      { numRuns: 12 },
    );
  });

  test("a session that is written between two pages is not shown twice", async () => {
    const { store, sessions } = storeWith(4);
    const first = await store.page({ limit: 2 });
    utimesSync(sessions[3]?.sessionFile as string, 9000, 9000);
    const rest = await store.page({ limit: 9, cursor: first.nextCursor });
    expect(rest.sessions.map(({ firstMessage }) => firstMessage)).toEqual(["question 1", "question 0"]);
  });

  test("no more files are read than the page needs", async () => {
    const read = new Set<string>();
    const { home } = storeWith(200);
    const listingReader = {
      ...systemListingReader,
      read: (path: string, offset: number, length: number) => {
        read.add(path);
        return systemListingReader.read(path, offset, length);
      },
    };
    const { store } = testStore({ home, listingReader });
    expect((await store.page({ limit: 10 })).sessions).toHaveLength(10);
    expect(read.size).toBeLessThanOrEqual(16);
  });

  test("messages are counted and the last name wins, however far down the file it is", async () => {
    const { store } = testStore();
    const session = store.create();
    session.setName("early");
    session.appendMessage(user("x".repeat(3 << 20)));
    session.appendMessage(assistant("yes\n"));
    session.setName("Ümläut late");
    session.appendMessage(user("bye"));
    session.close();
    const expected = { id: session.sessionId, name: "Ümläut late", messageCount: 3, cwd: CWD };
    expect((await store.page({})).sessions).toMatchObject([expected]);
    expect((await store.page({ query: "LATE üml" })).sessions).toMatchObject([expected]);
    expect((await store.page({ query: "early" })).sessions).toEqual([]);
  });

  test("the cost is the sum over the answers of all branches, and ignores tool arguments named cost", async () => {
    const { store } = testStore();
    const session = store.create();
    const first = session.appendMessage(user("x"));
    const costs = (total: number, text: string) => {
      const answer = assistant(text);
      return { ...answer, usage: { ...answer.usage, cost: { ...answer.usage.cost, total } } };
    };
    session.appendMessage(costs(0.25, "y".repeat(2 << 20)));
    session.moveLeaf(first.id);
    const call: ToolCall = { type: "toolCall", id: "c", name: "bash", arguments: { cost: { total: 99 } } };
    const other = costs(0.5, '"cost":{"total":7}');
    session.appendMessage({ ...other, content: [...other.content, call] });
    session.close();
    const silent = store.create();
    silent.appendMessage(user("no answer"));
    silent.close();
    expect((await store.page({})).sessions.map(({ id, cost }) => [id, cost]).sort()).toEqual(
      [
        [session.sessionId, 0.75],
        [silent.sessionId, undefined],
      ].sort(),
    );
  });

  test.each([
    ["with a space after each colon and comma", (line: string) => spaced(JSON.parse(line))],
    ["with the type as the last field", (line: string) => JSON.stringify(typeLast(JSON.parse(line)))],
  ])("messages are counted in a file %s", async (_, rewritten) => {
    const { store } = testStore();
    const session = store.create();
    session.appendMessage(user("hello"));
    session.appendMessage(assistant("yes"));
    session.setName("named");
    session.close();
    const file = session.sessionFile as string;
    const [header = "", ...entries] = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${[header, ...entries.map(rewritten)].join("\n")}\n`);
    const expected = { name: "named", messageCount: 2, firstMessage: "hello" };
    expect((await store.page({})).sessions).toMatchObject([expected]);
  });

  test("words may be in the id, the first message and the directory; all must be somewhere", async () => {
    const { store, home, sessions } = storeWith(3);
    const other = testStore({ home, cwd: "/other/place" }).store.create();
    other.appendMessage(user("question 1"));
    other.close();
    const ids = async (query: string, cwd?: string) => (await store.page({ query, cwd })).sessions.map(({ id }) => id);
    const [, one] = sessions;
    expect((await ids("Question 1")).sort()).toEqual([one?.sessionId as string, other.sessionId].sort());
    expect(await ids("question 1 other/place")).toEqual([other.sessionId]);
    expect(await ids("question 1", CWD)).toEqual([one?.sessionId as string]);
    expect(await ids(other.sessionId)).toEqual([other.sessionId]);
    expect(await ids("question banana")).toEqual([]);
  });

  test.each(["", "x", Buffer.from("[1]").toString("base64url"), Buffer.from('{"a":1}').toString("base64url")])(
    "a cursor that no page gave is refused: %s",
    async (cursor) => {
      const { store } = testStore();
      await expect(store.page({ cursor })).rejects.toThrow("cursor must come from an earlier page");
    },
  );
});

describe("short ids", () => {
  test("name one id each, and none is shorter than eight characters", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[ab]{8,14}$/), { minLength: 1 }), (ids) => {
        const short = shortestPrefixes(ids);
        for (const id of ids) {
          const prefix = short.get(id) as string;
          expect(prefix.length).toBeGreaterThanOrEqual(8);
          expect(ids.filter((other) => other.startsWith(prefix) && (prefix !== id || other === id))).toEqual([id]);
        }
      }),
    );
  });
});
