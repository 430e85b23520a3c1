import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { assistant, user } from "./support/messages.ts";
import { CWD, freshDirectory, recordsOf, stateOf, testStore, texts } from "./support/stores.ts";

describe("a new session", () => {
  test("leaves nothing on disk until there is a message", () => {
    const { store, home } = testStore();
    const session = store.create();
    session.appendModelChange({ provider: "acme", modelId: "large" });
    session.appendThinkingLevelChange("high");
    session.sync();
    session.close();
    expect(readdirSync(home)).toEqual([]);
    expect(basename(session.sessionFile as string)).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}\.jsonl$/,
    );
    expect(dirname(session.sessionFile as string)).toBe(join(home, "sessions", "--home-project--"));
  });

  test("is stored with the first message, before any answer, together with what was set before", () => {
    const { store } = testStore();
    const session = store.create({ id: "my-id", parentSession: "/old.jsonl" });
    const model = session.appendModelChange({ provider: "acme", modelId: "large/v2" });
    const message = user("hello");
    const entry = session.appendMessage(message);
    expect(recordsOf(session.sessionFile as string)).toEqual([
      { ...session.header },
      {
        type: "model_change",
        id: model.id,
        parentId: null,
        timestamp: model.timestamp,
        provider: "acme",
        modelId: "large/v2",
        model: "acme/large/v2",
        role: "default",
      },
      { type: "message", id: entry.id, parentId: model.id, timestamp: entry.timestamp, message },
    ]);
    expect(session.header).toMatchObject({ version: 3, id: "my-id", cwd: CWD, parentSession: "/old.jsonl" });
    expect(entry.id).toMatch(/^[0-9a-f]{8}$/);
    expect(session.leafId).toBe(entry.id);
    session.close();
  });

  test("has private files in private directories", () => {
    const { store, home } = testStore();
    const session = store.create();
    session.appendMessage(user("secret"));
    const file = session.sessionFile as string;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, "sessions")).mode & 0o777).toBe(0o700);
    expect(statSync(join(dirname(file), `.${basename(file)}.lock`)).mode & 0o777).toBe(0o600);
    session.close();
  });

  test("a custom message is a message too", () => {
    const { store } = testStore();
    const session = store.create();
    session.appendCustomMessage({ role: "custom", customType: "note", content: "hi", display: true, timestamp: 5 });
    expect(recordsOf(session.sessionFile as string)).toHaveLength(2);
    session.close();
  });

  test("a name creates the file and is part of the header as well", async () => {
    const { store } = testStore();
    const session = store.create();
    session.setName("  a\u0000b \n\u0085  c  ");
    expect(session.name).toBe("a b c");
    expect(recordsOf(session.sessionFile as string)).toMatchObject([
      { type: "session", title: "a b c", titleSource: "user" },
      { type: "session_info", name: "a b c", parentId: null },
    ]);
    session.close();
    expect((await store.open(session.sessionFile as string)).name).toBe("a b c");
  });

  test("a name of nothing is refused and changes nothing", () => {
    const { store, home } = testStore();
    const session = store.create();
    expect(() => session.setName(" \u0007\n ")).toThrow("Session name cannot be empty");
    expect(readdirSync(home)).toEqual([]);
    expect(session.entries()).toEqual([]);
  });

  test("renaming appends and does not rewrite", () => {
    const { store } = testStore();
    const session = store.create();
    session.appendMessage(user("hello"));
    const { ino } = statSync(session.sessionFile as string);
    session.setName("one");
    session.setName("two");
    expect(statSync(session.sessionFile as string).ino).toBe(ino);
    expect(recordsOf(session.sessionFile as string).map(({ type }) => type)).toEqual([
      "session",
      "message",
      "session_info",
      "session_info",
    ]);
    expect(session.name).toBe("two");
    session.close();
  });

  test("in memory it works the same and touches no disk", () => {
    const { store, home } = testStore();
    const session = store.createInMemory();
    session.setName("name");
    session.appendMessage(user("a"));
    const branch = session.branchBefore(session.userMessages()[0]?.entryId as string);
    expect(session.sessionFile).toBeUndefined();
    expect(branch.sessionFile).toBeUndefined();
    expect([session.name, branch.name]).toEqual(["name", "name"]);
    expect(texts(session.buildContext().messages)).toEqual(["a"]);
    session.close();
    expect(readdirSync(home)).toEqual([]);
  });

  test("can be stored in a directory that the user chooses", async () => {
    const { store } = testStore();
    const path = join(freshDirectory(), "deep", "mine.jsonl");
    const session = store.create({ path });
    session.appendMessage(user("a"));
    session.close();
    expect(stateOf(await store.open(path))).toEqual(stateOf(session));
  });
});

describe("opening", () => {
  test("a file that is not there is an error and stays away", async () => {
    const { store, home } = testStore();
    const path = join(home, "no", "such.jsonl");
    await expect(store.open(path)).rejects.toThrow(`Session file not found: ${path}`);
    expect(existsSync(join(home, "no"))).toBe(false);
  });

  test("a directory is not a session", async () => {
    const { store, home } = testStore();
    await expect(store.open(home)).rejects.toThrow(`Cannot open session "${home}": it is not a file`);
    expect(readdirSync(dirname(home)).filter((name) => name.startsWith(basename(home)))).toEqual([basename(home)]);
  });

  test("to read needs no lock and refuses to write", async () => {
    const { store } = testStore();
    const writer = store.create();
    writer.appendMessage(user("a"));
    const path = writer.sessionFile as string;
    const reader = await store.open(path, { access: "read" });
    expect(texts(reader.buildContext().messages)).toEqual(["a"]);
    expect(reader.isReadOnly).toBe(true);
    expect(() => reader.appendMessage(user("b"))).toThrow(`Session "${path}" is open for reading only`);
    expect(() => reader.setName("b")).toThrow("reading only");
    reader.close();
    writer.appendMessage(assistant("b"));
    expect(recordsOf(path)).toHaveLength(3);
    writer.close();
  });

  test("after it was closed nothing can be appended", () => {
    const { store } = testStore();
    const session = store.create();
    session.appendMessage(user("a"));
    session.close();
    expect(() => session.appendMessage(user("b"))).toThrow("The session is closed");
    expect(recordsOf(session.sessionFile as string)).toHaveLength(2);
  });
});
