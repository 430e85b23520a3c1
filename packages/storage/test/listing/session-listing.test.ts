import { describe, expect, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cwdDirectoryName } from "../../src/file/session-paths.ts";
import { type ListingReader, systemListingReader } from "../../src/listing/listing-reader.ts";
import { assistant, user } from "../support/messages.ts";
import {
  CWD,
  freshDirectory,
  header,
  messageEntry,
  stateEntry,
  testStore,
  texts,
  writeSession,
} from "../support/stores.ts";

function setTime(path: string, seconds: number): void {
  utimesSync(path, seconds, seconds);
}

/** Counts the reads, and how many happen at the same time. */
function countingReader(): ListingReader & { bytes: number; reads: number; most: number } {
  let running = 0;
  const reader = {
    ...systemListingReader,
    bytes: 0,
    reads: 0,
    most: 0,
    async read(path: string, offset: number, length: number) {
      running += 1;
      reader.most = Math.max(reader.most, running);
      const bytes = await systemListingReader.read(path, offset, length);
      running -= 1;
      reader.reads += 1;
      reader.bytes += bytes.length;
      return bytes;
    },
  };
  return reader;
}

describe("listing", () => {
  test("gives the sessions of a working directory that hold a message, newest first", async () => {
    const { store, home } = testStore();
    const one = store.create();
    one.setName("named");
    one.appendMessage(user("question one"));
    const two = store.create({ parentSession: "/parent" });
    two.appendMessage(user("question two"));
    two.appendMessage(assistant("answer"));
    const nameOnly = store.create();
    nameOnly.setName("nothing said");
    const elsewhere = testStore({ home, cwd: "/other" }).store.create();
    elsewhere.appendMessage(user("elsewhere"));
    for (const each of [one, two, nameOnly, elsewhere]) each.close();
    setTime(one.sessionFile as string, 2000);
    setTime(two.sessionFile as string, 3000);
    setTime(elsewhere.sessionFile as string, 1000);

    const expected = [
      {
        path: two.sessionFile as string,
        id: two.sessionId,
        cwd: CWD,
        createdAt: two.header.timestamp,
        modifiedAt: 3_000_000,
        firstMessage: "question two",
        parentSession: "/parent",
        hasMessages: true,
      },
      {
        path: one.sessionFile as string,
        id: one.sessionId,
        cwd: CWD,
        createdAt: one.header.timestamp,
        modifiedAt: 2_000_000,
        name: "named",
        firstMessage: "question one",
        hasMessages: true,
      },
    ];
    expect(await store.list()).toEqual(expected);
    expect((await store.listAll()).map(({ id }) => id)).toEqual([two.sessionId, one.sessionId, elsewhere.sessionId]);
    expect((await store.list("/other")).map(({ id }) => id)).toEqual([elsewhere.sessionId]);
    expect(await store.list("/nowhere")).toEqual([]);
    expect((await store.find(nameOnly.sessionId)).map(({ name }) => name)).toEqual(["nothing said"]);
  });

  test("no directory, no sessions", async () => {
    const { store } = testStore();
    expect(await store.list()).toEqual([]);
    expect(await store.listAll()).toEqual([]);
    expect(await store.find("x")).toEqual([]);
  });

  test("distinguishes working directories that share a directory", async () => {
    expect(cwdDirectoryName("/a/b-c")).toBe(cwdDirectoryName("/a-b/c"));
    const home = freshDirectory();
    const [first, second] = ["/a/b-c", "/a-b/c"].map((cwd) => testStore({ home, cwd }).store);
    for (const store of [first, second]) {
      const session = store?.create();
      session?.appendMessage(user("x"));
      session?.close();
    }
    expect((await first?.list())?.map(({ cwd }) => cwd)).toEqual(["/a/b-c"]);
    expect((await second?.continueRecent())?.header.cwd).toBe("/a-b/c");
  });

  test("reads beginnings only, a few files at a time", async () => {
    const reader = countingReader();
    const { store, home } = testStore({ listingReader: reader });
    const directory = join(home, "sessions", cwdDirectoryName(CWD));
    mkdirSync(directory, { recursive: true });
    const long = messageEntry("b", "a", assistant("x".repeat(1 << 20)));
    for (let index = 0; index < 40; index += 1) {
      writeSession(
        [header({ id: `id-${index}` }), messageEntry("a", null, user("hi")), long],
        join(directory, `t_id-${index}.jsonl`),
      );
    }
    expect(await store.list()).toHaveLength(40);
    expect(reader.bytes).toBe(40 * (64 << 10));
    expect(reader.most).toBeLessThanOrEqual(8);
    expect(reader.most).toBeGreaterThan(1);

    reader.bytes = 0;
    const recent = await store.continueRecent();
    recent.close();
    expect(reader.bytes).toBe(64 << 10);
    reader.reads = 0;
    expect((await store.find("id-39")).map(({ id }) => id)).toEqual(["id-39"]);
    expect(reader.reads).toBe(1);
    reader.bytes = 0;
    expect((await store.page({ query: " id-39 " })).sessions.map(({ id }) => id)).toEqual(["id-39"]);
    expect(reader.bytes).toBeLessThan(3 << 20); // one file of 1 MB, not 40
  });

  test("a first message or a preamble longer than what is read does not hide a session", async () => {
    const reader = countingReader();
    const { store, home } = testStore({ listingReader: reader });
    const directory = join(home, "sessions", cwdDirectoryName(CWD));
    mkdirSync(directory, { recursive: true });
    const init = (size: number) =>
      stateEntry("session_init", "i", null, { systemPrompt: "s".repeat(size), task: "", tools: [] });
    writeSession(
      [header({ id: "long" }), messageEntry("a", null, user("x".repeat(1 << 20)))],
      join(directory, "a.jsonl"),
    );
    writeSession(
      [header({ id: "init" }), init(200_000), messageEntry("a", "i", user("x"))],
      join(directory, "b.jsonl"),
    );
    writeSession(
      [header({ id: "huge" }), init(3 << 20), messageEntry("a", "i", user("x"))],
      join(directory, "c.jsonl"),
    );
    writeSession([header({ id: "none" }), init(200_000)], join(directory, "d.jsonl"));
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(["huge", "init", "long"]);
    expect(reader.bytes).toBeLessThan(2 << 20);
  });

  test("skips files that are not sessions, and finds sessions of other programs", async () => {
    const { store, home } = testStore();
    const directory = join(home, "sessions", "-project");
    mkdirSync(join(directory, "sub.jsonl"), { recursive: true });
    writeFileSync(join(directory, "bad.jsonl"), "garbage\n");
    writeFileSync(join(directory, "empty.jsonl"), "");
    writeFileSync(join(directory, ".hidden.jsonl"), JSON.stringify(header()));
    const slot = JSON.stringify({ type: "title", v: 1, title: "slot", pad: "  " });
    writeSession([slot, header({ id: "omp" }), messageEntry("a", null, user("x"))], join(directory, "x_omp.jsonl"));
    writeSession(
      [header({ id: "flat" }), { type: "message", message: user("y") }],
      join(home, "sessions", "flat.jsonl"),
    );
    expect((await store.listAll()).map(({ id, name }) => [id, name]).sort()).toEqual([
      ["flat", undefined],
      ["omp", "slot"],
    ]);
    expect((await store.list()).map(({ id }) => id)).toEqual(["flat"]);
    expect((await store.find("fl")).map(({ id }) => id)).toEqual(["flat"]);
  });
});

describe("continuing", () => {
  test("chooses the session of this directory that was written last", async () => {
    const { store } = testStore();
    const sessions = ["one", "two"].map((text) => {
      const session = store.create();
      session.appendMessage(user(text));
      session.close();
      return session.sessionFile as string;
    });
    setTime(sessions[0] as string, 5000);
    setTime(sessions[1] as string, 4000);
    const session = await store.continueRecent();
    expect(texts(session.buildContext().messages)).toEqual(["one"]);
    session.close();
  });

  test("begins a new one when there is none", async () => {
    const { store } = testStore();
    const session = await store.continueRecent();
    expect(session.entries()).toEqual([]);
    expect(session.header.cwd).toBe(CWD);
  });
});

test("a working directory whose name is too long for a file name has sessions too", async () => {
  const cwd = `/${"deep/directory/ü".repeat(60)}`;
  const { store } = testStore({ cwd });
  const session = store.create();
  session.appendMessage(user("x"));
  session.close();
  expect(
    Buffer.byteLength(
      dirname(session.sessionFile as string)
        .split("/")
        .at(-1) as string,
    ),
  ).toBeLessThanOrEqual(255);
  expect(await store.list()).toHaveLength(1);
});
