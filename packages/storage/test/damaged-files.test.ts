import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { SessionError } from "../src/session-error.ts";
import { assistant, imageData, toolResult, user } from "./support/messages.ts";
import {
  freshDirectory,
  header,
  messageEntry,
  recordsOf,
  stateEntry,
  testStore,
  texts,
  writeSession,
} from "./support/stores.ts";

/** A file with everything that is stored in a special way. */
function variedFile(): Buffer {
  const { store } = testStore();
  const session = store.create();
  session.appendModelChange({ provider: "acme", modelId: "large" });
  const first = session.appendMessage(user("grüße 🌍 \u2028 and \u2029 and \ud800 are text"));
  session.appendMessage({ ...user("look"), content: [{ type: "image", data: imageData(1), mimeType: "image/png" }] });
  session.appendMessage(assistant("two calls", ["a", "b"]));
  session.appendMessage(toolResult("b"));
  session.appendMessage(toolResult("a", 'quotes " and \\ and \n'));
  session.setLabel(first.id, "start");
  session.setName("näme");
  session.appendCompaction({ summary: "so far", firstKeptEntryId: first.id, tokensBefore: 3, fromExtension: true });
  session.moveLeaf(first.id);
  session.appendBranchSummary({ fromId: first.id, summary: "elsewhere" });
  session.appendCustom("state", { deep: [1, { a: null }] });
  session.close();
  return readFileSync(session.sessionFile as string);
}

describe("a file that was cut off", () => {
  test("at any byte loads as its beginning, and later appends are not lost", async () => {
    const whole = variedFile();
    const lines = whole.toString("utf8").trimEnd().split("\n").slice(1);
    const all = lines.map((line) => JSON.parse(line));
    const { store, home } = testStore();
    for (let length = 0; length <= whole.length; length += 1) {
      const path = join(home, `${length}.jsonl`);
      writeFileSync(path, whole.subarray(0, length));
      const session = await store.open(path);
      const loaded = [...session.entries()];
      expect(loaded).toEqual(all.slice(0, loaded.length));
      const complete = whole.subarray(0, length).toString("utf8").split("\n").length - 2;
      expect(loaded.length).toBeGreaterThanOrEqual(complete);

      const appended = session.appendMessage(user("after the crash"));
      session.close();
      const again = await store.open(path);
      expect([...again.entries()]).toEqual([...loaded, JSON.parse(JSON.stringify(appended))]);
      expect(again.leafId).toBe(appended.id);
      again.close();
      rmSync(path); // opening a file also checks its neighbours
    }
  });

  test("keeps every byte that is there", async () => {
    const whole = variedFile();
    const { store } = testStore();
    const path = join(freshDirectory(), "torn.jsonl");
    const torn = whole.subarray(0, whole.length - 20);
    writeFileSync(path, torn);
    const session = await store.open(path);
    session.appendMessage(user("on"));
    session.close();
    const after = readFileSync(path);
    expect(after.subarray(0, torn.length).equals(torn)).toBe(true);
    expect(after[torn.length]).toBe(0x0a);
  });

  test("inside its first record it starts over, and the fragment is set aside", async () => {
    const { store } = testStore();
    const path = join(freshDirectory(), "torn.jsonl");
    writeFileSync(path, '{"type":"session","version":3,"id":"abc');
    const session = await store.open(path);
    expect(session.entries()).toEqual([]);
    session.appendModelChange({ provider: "acme", modelId: "large" });
    expect(readFileSync(path, "utf8")).toBe('{"type":"session","version":3,"id":"abc');
    session.appendMessage(user("a"));
    session.close();
    expect(recordsOf(path).map(({ type }) => type)).toEqual(["session", "model_change", "message"]);
    const kept = readdirSync(dirname(path)).find((name) => name.startsWith("torn.jsonl.corrupt-")) as string;
    expect(readFileSync(join(dirname(path), kept), "utf8")).toBe('{"type":"session","version":3,"id":"abc');
  });
});

describe("a header that is missing or malformed", () => {
  const bodies = {
    "not JSON": "hello\n",
    "not JSON, without LF": "hello",
    "an entry where the header belongs": `${JSON.stringify(messageEntry("a", null, user("x")))}\n`,
    "a header without id": `${JSON.stringify({ ...header(), id: "" })}\n`,
    "a version that is no number": `${JSON.stringify({ ...header(), version: "3" })}\n`,
    "a torn header before entries": `{"type":"session","ver\n${JSON.stringify(messageEntry("a", null, user("x")))}\n`,
    "garbage before the header": `garbage\n${JSON.stringify(header())}\n`,
    "an array": "[]\n",
    zeros: "\0\0\0\0",
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(`${name}: error, file untouched, no lock left`, async () => {
      const { store } = testStore();
      const path = join(freshDirectory(), "bad.jsonl");
      writeFileSync(path, body);
      const before = statSync(path);
      const error = await store.open(path).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(SessionError);
      expect(error.message).toBe(`Cannot open session "${path}": header is missing or malformed`);
      expect(readFileSync(path, "utf8")).toBe(body);
      expect(statSync(path).mtimeMs).toBe(before.mtimeMs);
      expect(readdirSync(dirname(path))).toEqual(["bad.jsonl"]);
    });
  }
});

describe("unreadable lines", () => {
  const chain = [
    messageEntry("a1", null, user("one")),
    messageEntry("b2", "a1", assistant("two")),
    messageEntry("c3", "b2", user("three")),
    messageEntry("d4", "c3", assistant("four")),
  ];

  test("are skipped, counted, and do not cut off what came before them", async () => {
    const { store, notices } = testStore();
    const [a, , c, d] = chain;
    const path = writeSession([header(), a as object, '{"type":"message","id":"b2","par', c as object, d as object]);
    const before = readFileSync(path);
    const session = await store.open(path);
    expect(texts(session.buildContext().messages)).toEqual(["one", "three", "four"]);
    expect(notices.map(({ level, message }) => `${level} ${message}`)).toEqual([
      `warning Session file ${path}: 1 line(s) could not be read completely and stay in the file: 3.`,
      `warning Session file ${path}: 1 line(s) named a parent that does not exist and were attached to the preceding entry.`,
    ]);
    session.appendMessage(user("five"));
    session.close();
    expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
  });

  test("both branches below a lost line stay branches", async () => {
    const { store } = testStore();
    const sibling = messageEntry("e5", "b2", user("other three"));
    const [a, , c, d] = chain;
    const session = await store.open(writeSession([header(), a as object, "lost", c as object, d as object, sibling]));
    expect(texts(session.buildContext().messages)).toEqual(["one", "other three"]);
    expect(session.entry("c3")?.parentId).toBe("a1");
    session.close();
  });

  test("wherever they are, every readable entry is there, in order", async () => {
    const { store, home } = testStore();
    const garbage = fc.oneof(
      fc.string().map((text) => text.replaceAll("\n", " ")),
      fc.constantFrom(
        "{",
        "null",
        "42",
        "[1]",
        '"text"',
        "{}",
        '{"type":3}',
        "\0\0\0",
        JSON.stringify(header({ id: "x" })),
      ),
    );
    let files = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(chain.length), garbage), { maxLength: 8 }), async (insertions) => {
        files += 1;
        const records: (object | string)[] = [];
        for (const [index, entry] of [...chain, undefined].entries()) {
          for (const [at, line] of insertions) if (at === index && !isEntryLine(line)) records.push(line);
          if (entry) records.push(entry);
        }
        const path = writeSession([header(), ...records], join(home, `${files}.jsonl`));
        const session = await store.open(path);
        expect([...session.entries()] as unknown[]).toEqual(chain);
        session.close();
      }),
      { numRuns: 150 },
    );
  });

  test("invalid UTF-8 keeps the rest of its line and counts as damage", async () => {
    const { store, notices } = testStore();
    const path = join(freshDirectory(), "bytes.jsonl");
    const line = Buffer.from(`${JSON.stringify(messageEntry("a", null, user("x?y")))}\n`);
    line[line.indexOf("?")] = 0xff;
    writeFileSync(path, Buffer.concat([Buffer.from(`${JSON.stringify(header())}\n`), line]));
    const session = await store.open(path);
    expect(texts(session.buildContext().messages)).toEqual(["x\uFFFDy"]);
    expect(notices).toHaveLength(1);
    session.close();
  });
});

function isEntryLine(line: string): boolean {
  try {
    const value = JSON.parse(line);
    return typeof value?.type === "string" && value.type !== "session" && value.type !== "title";
  } catch {
    return false;
  }
}

describe("trees that are not trees", () => {
  test("a repeated id: the later entry gets a new id, and its children follow it", async () => {
    const { store } = testStore();
    const path = writeSession([
      header(),
      messageEntry("a", null, user("one")),
      messageEntry("b", "a", assistant("two")),
      messageEntry("b", "b", user("three")),
      messageEntry("c", "b", assistant("four")),
    ]);
    const session = await store.open(path);
    const ids = session.entries().map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => id === "b")).toHaveLength(1);
    expect(texts(session.buildContext().messages)).toEqual(["one", "two", "three", "four"]);

    // The new id is not in the file, but entries appended below it must find it again.
    session.moveLeaf(ids[2] as string);
    session.appendMessage(assistant("other four"));
    session.close();
    const again = await store.open(path);
    expect(texts(again.buildContext().messages)).toEqual(["one", "two", "three", "other four"]);
    expect(
      again
        .entries()
        .map(({ id }) => id)
        .slice(0, 4),
    ).toEqual(ids);
    again.close();
  });

  test("a circle ends", async () => {
    const { store, notices } = testStore();
    const session = await store.open(
      writeSession([
        header(),
        messageEntry("a", "c", user("one")),
        messageEntry("b", "a", assistant("two")),
        messageEntry("c", "b", user("three")),
        messageEntry("d", "d", user("own parent")),
      ]),
    );
    expect(texts(session.buildContext().messages)).toEqual(["one", "two", "three", "own parent"]);
    session.moveLeaf("c");
    expect(session.path().map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(session.tree()).toHaveLength(1);
    expect(notices).toHaveLength(1);
    session.close();
  });

  test("entries without id, parent or time are kept", async () => {
    const { store } = testStore();
    const session = await store.open(
      writeSession([
        header(),
        messageEntry("a", null, user("one")),
        { type: "message", message: user("two") },
        { type: "future" },
      ]),
    );
    expect(texts(session.buildContext().messages)).toEqual(["one", "two"]);
    expect(session.entries()).toHaveLength(3);
    expect(session.entries()[2]).toMatchObject({ type: "future", parentId: session.entries()[1]?.id });
    session.close();
  });

  test("entries of any shape load, and give a tree with each of them once", async () => {
    const { store, home } = testStore();
    const id = fc.constantFrom("a", "b", "c", "d", "", null, 7, undefined);
    const entry = fc.record({ type: fc.constantFrom("message", "label", "compaction", "x"), id, parentId: id });
    let files = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
        files += 1;
        const session = await store.open(writeSession([header(), ...entries], join(home, `tree-${files}.jsonl`)));
        expect(session.entries()).toHaveLength(entries.length);
        let nodes = session.tree();
        let count = 0;
        while (nodes.length > 0) {
          count += nodes.length;
          nodes = nodes.flatMap(({ children }) => children);
        }
        expect(count).toBe(entries.length);
        expect(new Set(session.entries().map((each) => each.id)).size).toBe(entries.length);
        session.buildContext();
        session.close();
      }),
      { numRuns: 200 },
    );
  });
});

test("a file of a future version is read, and never written", async () => {
  const { store } = testStore();
  const path = writeSession([
    header({ version: 4 }),
    messageEntry("a", null, user("one")),
    { type: "brand_new", id: "b", parentId: "a" },
  ]);
  const before = readFileSync(path);
  const session = await store.open(path);
  expect(texts(session.buildContext().messages)).toEqual(["one"]);
  expect(() => session.appendMessage(user("two"))).toThrow(
    `Session "${path}" has version 4; this program writes version 3 and can only read it`,
  );
  expect(() => session.clone()).toThrow("version 4");
  session.close();
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(dirname(path))).toEqual(["session.jsonl"]);
});

test("a damaged file is kept aside before anything replaces it", async () => {
  const { store } = testStore();
  const path = writeSession([
    header({ version: 2 }),
    messageEntry("a", null, user("one")),
    "lost",
    stateEntry("custom", "b", "a", { customType: "x" }),
  ]);
  const before = readFileSync(path);
  const session = await store.open(path);
  session.appendMessage(user("two"));
  session.close();
  const names = readdirSync(dirname(path)).sort();
  expect(names).toHaveLength(3);
  expect(names[1]).toBe("session.jsonl.bak");
  expect(names[2]).toMatch(/^session\.jsonl\.corrupt-\d{4}-\d\d-\d\dT[\d-]+Z$/);
  for (const name of names.slice(1)) expect(readFileSync(join(dirname(path), name)).equals(before)).toBe(true);
  expect(recordsOf(path).map(({ type }) => type)).toEqual(["session", "message", "custom", "message"]);
});

describe("entries that are nested too deep", () => {
  const nested = (levels: number) => `{"type":"custom","x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

  test.each([
    [216, 1],
    [217, 0],
    [5_000, 0],
  ])("with %i levels and no other text, %i are read", async (levels, count) => {
    const { store, home } = testStore();
    const path = join(home, "deep.jsonl");
    writeFileSync(path, `${JSON.stringify(header())}\n${nested(levels)}\n`);
    const session = await store.open(path, { access: "read" });
    expect(session.entries()).toHaveLength(count);
    session.close();
  });
});
