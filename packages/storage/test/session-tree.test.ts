import { describe, expect, test } from "bun:test";
import { assistant, user } from "./support/messages.ts";
import { testStore } from "./support/stores.ts";

describe("the tree", () => {
  test("has every entry once, children oldest first, with labels", () => {
    const session = testStore().store.createInMemory();
    const a = session.appendMessage(user("a"));
    const b = session.appendMessage(assistant("b"));
    session.moveLeaf(a.id);
    const c = session.appendMessage(assistant("c"));
    session.moveLeaf(null);
    const d = session.appendMessage(user("d"));
    const label = session.setLabel(a.id, "here");
    const gone = session.setLabel(b.id, "there");
    const cleared = session.setLabel(b.id, undefined);
    expect(session.tree()).toEqual([
      {
        entry: a,
        label: "here",
        labelTimestamp: label.timestamp,
        children: [
          { entry: b, children: [] },
          { entry: c, children: [] },
        ],
      },
      {
        entry: d,
        children: [{ entry: label, children: [{ entry: gone, children: [{ entry: cleared, children: [] }] }] }],
      },
    ]);
    expect([...session.labels]).toEqual([[a.id, { label: "here", timestamp: label.timestamp }]]);
  });

  test("entries since an id are those appended after it, on every branch", () => {
    const session = testStore().store.createInMemory();
    const a = session.appendMessage(user("a"));
    const b = session.appendMessage(assistant("b"));
    session.moveLeaf(a.id);
    const c = session.appendMessage(assistant("c"));
    expect(session.entries()).toEqual([a, b, c]);
    expect(session.entries(a.id)).toEqual([b, c]);
    expect(session.entries(c.id)).toEqual([]);
    expect(() => session.entries("nope")).toThrow("Entry not found: nope");
    expect(() => session.moveLeaf("nope")).toThrow("Entry not found: nope");
    expect(() => session.setLabel("nope", "x")).toThrow("Entry not found: nope");
    expect(session.leafId).toBe(c.id);
  });

  test("a conversation of 50000 messages has a path, a tree and a context", () => {
    const session = testStore().store.createInMemory();
    for (let index = 0; index < 50_000; index += 1) session.appendMessage(user(String(index)));
    expect(session.path()).toHaveLength(50_000);
    expect(session.tree()).toHaveLength(1);
    expect(session.buildContext().messages).toHaveLength(50_000);
  });

  test("user messages are listed in the order of the file, without empty ones", () => {
    const session = testStore().store.createInMemory();
    const a = session.appendMessage({ ...user(""), content: "plain" });
    session.appendMessage(assistant("b"));
    session.appendMessage({ ...user(""), content: [{ type: "image", data: "xx", mimeType: "image/png" }] });
    session.moveLeaf(null);
    const c = session.appendMessage({
      ...user(""),
      content: [
        { type: "text", text: "two " },
        { type: "image", data: "xx", mimeType: "image/png" },
        { type: "text", text: "parts" },
      ],
    });
    expect(session.userMessages()).toEqual([
      { entryId: a.id, text: "plain" },
      { entryId: c.id, text: "two parts" },
    ]);
  });

  test("ids are checked, and get longer when chance does not help", () => {
    let asked = 0;
    const ids = {
      entry: () => {
        asked += 1;
        return "aaaaaaaa";
      },
      session: () => "a-long-one",
    };
    const session = testStore({ ids }).store.createInMemory({ id: "s" });
    expect(session.appendMessage(user("a")).id).toBe("aaaaaaaa");
    expect(session.appendMessage(user("b")).id).toBe("a-long-one");
    expect(asked).toBe(101);
  });
});
