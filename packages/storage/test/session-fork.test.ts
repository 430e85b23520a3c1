import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { buildContext } from "@pintle/agent";
import { assistant, toolResult, user } from "./support/messages.ts";
import { recordsOf, stateOf, testStore, texts } from "./support/stores.ts";

describe("branching before a message", () => {
  test("makes a new file with the path up to its parent, and leaves the old one as it is", async () => {
    const { store } = testStore();
    const session = store.create();
    session.appendModelChange({ provider: "p", modelId: "m" });
    const a = session.appendMessage(user("a"));
    const b = session.appendMessage(assistant("b"));
    const c = session.appendMessage(user("c"));
    session.setLabel(a.id, "old label");
    const d = session.appendMessage(assistant("d"));
    session.setLabel(a.id, "label of a");
    session.setLabel(d.id, "label of d");
    const before = readFileSync(session.sessionFile as string);
    expect(session.branchText(c.id)).toBe("c");
    const branch = session.branchBefore(c.id);
    expect(readFileSync(session.sessionFile as string).equals(before)).toBe(true);

    expect(branch.sessionId).not.toBe(session.sessionId);
    expect(branch.header).toMatchObject({
      version: 3,
      parentSession: session.sessionFile as string,
      cwd: session.header.cwd,
    });
    expect(texts(branch.buildContext().messages)).toEqual(["a", "b"]);
    expect(branch.entries().map(({ type }) => type)).toEqual(["model_change", "message", "message", "label"]);
    expect(branch.entries().slice(1, 3)).toEqual([a, b]);
    expect([...branch.labels.keys()]).toEqual([a.id]);
    expect(branch.labels.get(a.id)?.label).toBe("label of a");
    expect(statSync(branch.sessionFile as string).mode & 0o777).toBe(0o600);
    branch.appendMessage(user("other c"));
    session.appendMessage(assistant("still open"));
    for (const each of [branch, session]) {
      each.close();
      const again = await store.open(each.sessionFile as string);
      expect(stateOf(again)).toEqual(stateOf(each));
      again.close();
    }
  });

  test("a removed label does not come back", () => {
    const session = testStore().store.createInMemory();
    const a = session.appendMessage(user("a"));
    session.setLabel(a.id, "x");
    const b = session.appendMessage(user("b"));
    session.setLabel(a.id, undefined);
    expect([...session.branchBefore(b.id).labels]).toEqual([]);
  });

  test("before the first message: an empty session with the name it had, and no file", () => {
    const { store } = testStore();
    const session = store.create();
    session.setName("name");
    const a = session.appendMessage(user("a"));
    session.setName("later name");
    const branch = session.branchBefore(a.id);
    expect(branch.buildContext().messages).toEqual([]);
    expect(branch.name).toBe("name");
    expect(existsSync(branch.sessionFile as string)).toBe(false);
    branch.appendMessage(user("b"));
    expect(recordsOf(branch.sessionFile as string)).toMatchObject([{}, { name: "name" }, { type: "message" }]);
    for (const each of [branch, session]) each.close();
  });

  test("has the name of that moment, not one that was given later", () => {
    const session = testStore().store.createInMemory();
    const a = session.appendMessage(user("a"));
    expect(session.branchBefore(a.id).name).toBeUndefined();
    session.setName("first");
    session.appendMessage(assistant("b"));
    const c = session.appendMessage(user("c"));
    session.setName("second");
    expect(session.branchBefore(a.id).name).toBeUndefined();
    expect(session.branchBefore(c.id).name).toBe("first");
    expect(session.clone(c.id).name).toBe("first");
    expect(session.clone().name).toBe("second");
  });

  test("a name that was given on another path before that moment is kept", () => {
    const session = testStore().store.createInMemory();
    const a = session.appendMessage(user("a"));
    session.setName("name");
    session.moveLeaf(a.id);
    session.appendMessage(assistant("b"));
    const c = session.appendMessage(user("c"));
    expect(session.branchBefore(c.id).name).toBe("name");
  });

  test("only messages of the user will do, on whichever branch", () => {
    const session = testStore().store.createInMemory();
    const a = session.appendMessage(user("a"));
    const b = session.appendMessage(assistant("b"));
    const name = session.setName("n");
    for (const id of [b.id, name.id, "nope", ""]) {
      expect(() => session.branchBefore(id)).toThrow("Invalid entry ID for branching");
      expect(() => session.branchText(id)).toThrow("Invalid entry ID for branching");
    }
    session.moveLeaf(null);
    session.appendMessage(user("c"));
    expect(session.branchText(a.id)).toBe("a");
  });

  test("in the middle of a turn, calls without a result get one in the copy", async () => {
    const { store } = testStore();
    const session = store.create();
    session.appendMessage(user("a"));
    const call = session.appendMessage(assistant("calls", ["x", "y"]));
    session.appendMessage(toolResult("y"));
    const steer = session.appendMessage(user("steer"));
    const branch = session.branchBefore(steer.id);
    expect(branch.buildContext().messages.slice(1)).toMatchObject([
      { role: "assistant" },
      {
        role: "toolResult",
        toolCallId: "x",
        isError: true,
        details: { __synthetic: true, executed: false, source: "aborted" },
      },
      { role: "toolResult", toolCallId: "y", isError: false },
    ]);
    const provider = await buildContext(branch.buildContext().messages);
    expect(provider.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "toolResult"]);
    session.moveLeaf(call.id);
    const clone = session.clone();
    expect(clone.buildContext().messages.filter(({ role }) => role === "toolResult")).toHaveLength(2);
    for (const each of [branch, clone, session]) {
      each.close();
      const again = await store.open(each.sessionFile as string, { access: "read" });
      expect(again.entries()).toEqual(each.entries());
    }
    expect(session.entries()).toHaveLength(4);
  });
});

describe("cloning", () => {
  test("copies the active path with everything on it", async () => {
    const { store } = testStore();
    const session = store.create();
    const a = session.appendMessage(user("a"));
    session.appendMessage(assistant("abandoned"));
    session.moveLeaf(a.id);
    session.appendMessage(assistant("b"));
    const clone = session.clone();
    expect(texts(clone.buildContext().messages)).toEqual(["a", "b"]);
    expect(clone.entries()).toEqual(session.path());
    expect(clone.header.parentSession).toBe(session.sessionFile as string);
    for (const each of [clone, session]) each.close();
    const again = await store.open(clone.sessionFile as string);
    expect(stateOf(again)).toEqual(stateOf(clone));
    again.close();
  });

  test("needs an entry", () => {
    const session = testStore().store.createInMemory();
    expect(() => session.clone()).toThrow("Cannot clone session: no current entry selected");
    session.appendMessage(user("a"));
    session.moveLeaf(null);
    expect(() => session.clone()).toThrow("Cannot clone session: no current entry selected");
  });
});
