import { describe, expect, test } from "bun:test";
import type { SessionManager } from "../../src/session-manager.ts";
import { assistant, toolResult, user } from "../support/messages.ts";
import { header, messageEntry, stateEntry, testStore, texts, writeSession } from "../support/stores.ts";

function inMemory(): SessionManager {
  return testStore().store.createInMemory();
}

/** Creates a conversation with these messages; returns the ids of its entries. */
function talk(session: SessionManager, ...words: string[]): string[] {
  return words.map((word, index) => session.appendMessage(index % 2 === 0 ? user(word) : assistant(word)).id);
}

const contextTexts = (session: SessionManager) => texts(session.buildContext().messages);

async function open(...entries: object[]): Promise<SessionManager> {
  const { store } = testStore();
  const session = await store.open(writeSession([header(), ...entries]), { access: "read" });
  return session;
}

describe("messages of a path", () => {
  test("no leaf, no context", () => {
    const session = inMemory();
    talk(session, "a", "b");
    session.moveLeaf(null);
    expect(session.buildContext().messages).toEqual([]);
  });

  test("only the branch of the leaf is used", () => {
    const session = inMemory();
    const [a] = talk(session, "a", "b", "c");
    session.moveLeaf(a as string);
    talk(session, "x", "y");
    expect(contextTexts(session)).toEqual(["a", "x", "y"]);
  });

  test("a compaction: its summary, what it kept, what came after", () => {
    const session = inMemory();
    const [, , c] = talk(session, "a", "b", "c", "d");
    session.appendCompaction({ summary: "S", shortSummary: "s", firstKeptEntryId: c as string, tokensBefore: 7 });
    talk(session, "e");
    expect(contextTexts(session)).toEqual(["[S]", "c", "d", "e"]);
    expect(session.buildContext().messages[0]).toMatchObject({
      role: "compactionSummary",
      tokensBefore: 7,
      shortSummary: "s",
    });
  });

  test("the second compaction may keep what the first kept, but not its summary", () => {
    const session = inMemory();
    const [, b] = talk(session, "a", "b");
    session.appendCompaction({ summary: "S1", firstKeptEntryId: b as string, tokensBefore: 1 });
    talk(session, "c");
    session.appendCompaction({ summary: "S2", firstKeptEntryId: b as string, tokensBefore: 1 });
    talk(session, "d");
    expect(contextTexts(session)).toEqual(["[S2]", "b", "c", "d"]);
  });

  test("a compaction that keeps nothing names itself", () => {
    const session = inMemory();
    talk(session, "a", "b");
    const entry = session.appendCompaction({ summary: "S", tokensBefore: 1 });
    expect(entry.firstKeptEntryId).toBe(entry.id);
    talk(session, "c");
    expect(contextTexts(session)).toEqual(["[S]", "c"]);
  });

  test("a first kept entry that is not on the path before it keeps nothing", () => {
    const session = inMemory();
    const [a, b] = talk(session, "a", "b");
    session.moveLeaf(a as string);
    talk(session, "c");
    session.appendCompaction({ summary: "S", firstKeptEntryId: b as string, tokensBefore: 1 });
    expect(contextTexts(session)).toEqual(["[S]"]);
  });

  const compaction = (id: string, parentId: string, fields: object) =>
    stateEntry("compaction", id, parentId, { summary: "S", firstKeptEntryId: "b", tokensBefore: 1, ...fields });

  test("a compaction without readable text is ignored, and the one before it used", async () => {
    for (const unreadable of [
      { method: "remote", summary: "kept by the provider", preserveData: {} },
      { summary: " " },
    ]) {
      const session = await open(
        messageEntry("a", null, user("a")),
        messageEntry("b", "a", assistant("b")),
        compaction("c", "b", {}),
        messageEntry("d", "c", user("d")),
        compaction("e", "d", unreadable),
        messageEntry("f", "e", user("f")),
      );
      expect(contextTexts(session)).toEqual(["[S]", "b", "d", "f"]);
    }
    const only = await open(messageEntry("a", null, user("a")), compaction("b", "a", { method: "remote" }));
    expect(contextTexts(only)).toEqual(["a"]);
  });

  test("history kept as images: the text is used and the user is notified", async () => {
    const { store, notices } = testStore();
    const session = await store.open(
      writeSession([header(), messageEntry("b", null, user("b")), compaction("c", "b", { method: "snapcompact" })]),
    );
    expect(contextTexts(session)).toEqual(["[S]", "b"]);
    expect(notices.map(({ message }) => message)).toEqual([expect.stringContaining("kept as images")]);
    session.close();
  });

  test("nothing from before a reset comes back, whatever a compaction kept", async () => {
    const reset = (id: string, parentId: string) => stateEntry("reset_boundary", id, parentId);
    const later = await open(
      messageEntry("a", null, user("a")),
      messageEntry("b", "a", assistant("b")),
      compaction("c", "b", {}),
      reset("d", "c"),
      messageEntry("e", "d", user("e")),
    );
    expect(contextTexts(later)).toEqual(["e"]);
    const earlier = await open(
      messageEntry("a", null, user("a")),
      messageEntry("b", "a", assistant("b")),
      reset("c", "b"),
      messageEntry("d", "c", user("d")),
      compaction("e", "d", {}),
      messageEntry("f", "e", user("f")),
    );
    expect(contextTexts(earlier)).toEqual(["[S]", "d", "f"]);
  });

  test("what was excluded when it was stored stays out", () => {
    const session = inMemory();
    talk(session, "a");
    const entry = session.appendMessage(assistant("withdrawn"), { excludeFromContext: true });
    talk(session, "b");
    expect(entry.excludeFromContext).toBe(true);
    expect(contextTexts(session)).toEqual(["a", "b"]);
  });

  test("pruned results are replaced by a note; on other branches and in the file they are as they were", () => {
    const session = inMemory();
    session.appendMessage(assistant("calls", ["x", "y"]));
    const x = session.appendMessage(toolResult("x", "long ".repeat(100)));
    const y = session.appendMessage(toolResult("y"));
    session.appendPrune({ ids: [x.id], prunedAt: 77 });
    expect(contextTexts(session)).toEqual([
      "calls<toolCall><toolCall>",
      "[Output truncated - 125 tokens]",
      "result of y",
    ]);
    expect(session.buildContext().messages[1]).toMatchObject({ toolCallId: "x", prunedAt: 77 });
    expect(session.entry(x.id)).toEqual(x);
    session.moveLeaf(y.id);
    expect(contextTexts(session)).toEqual(["calls<toolCall><toolCall>", "long ".repeat(100), "result of y"]);
  });

  describe("edits that pi stores", () => {
    const edit = (id: string, parent: string, targetId: string, replacement?: unknown) =>
      stateEntry("context_edit", id, parent, { targetId, replacement });
    const talked = [
      messageEntry("01", null, user("a")),
      messageEntry("02", "01", assistant("calls", ["x"])),
      messageEntry("03", "02", toolResult("x")),
      messageEntry("04", "03", assistant("d")),
      stateEntry("custom_message", "05", "04", { customType: "note", content: "e", display: true }),
    ];

    test("remove or replace messages for the model; the newest edit of a message wins", async () => {
      const session = await open(
        ...talked,
        edit("06", "05", "01", null),
        edit("07", "06", "03", { content: "short" }),
        edit("08", "07", "04", { content: [{ type: "text", text: "first" }] }),
        edit("09", "08", "04", { content: "second" }),
        edit("0a", "09", "05", { content: "E" }),
      );
      expect(contextTexts(session)).toEqual(["calls<toolCall>", "short", "second", "E"]);
      expect(session.buildContext().messages).toMatchObject([
        { role: "assistant" },
        { role: "toolResult", toolCallId: "x", content: [{ type: "text", text: "short" }] },
        { role: "assistant", content: [{ type: "text", text: "second" }] },
        { role: "custom", content: "E" },
      ]);
    });

    test("apply on their branch only", async () => {
      const session = await open(...talked, edit("06", "05", "01", null), messageEntry("07", "04", user("other")));
      expect(contextTexts(session)).toEqual(["a", "calls<toolCall>", "result of x", "d", "other"]);
    });

    test.each([undefined, {}, { content: 7 }, "text"])(
      "with the replacement %j, remove the message",
      async (replacement) => {
        const session = await open(...talked, edit("06", "05", "01", replacement));
        expect(contextTexts(session)).toEqual(["calls<toolCall>", "result of x", "d", "e"]);
      },
    );

    test("do not remove a summary", async () => {
      const compaction = { summary: "S", firstKeptEntryId: "04", tokensBefore: 1 };
      const session = await open(
        ...talked,
        stateEntry("compaction", "06", "05", compaction),
        edit("07", "06", "06", null),
        edit("08", "07", "04", null),
      );
      expect(contextTexts(session)).toEqual(["[S]", "e"]);
    });
  });

  test("results are in the order of the calls, however they finished", () => {
    const session = inMemory();
    session.appendMessage(assistant("first", ["a", "b", "c"]));
    for (const id of ["c", "a", "b"]) session.appendMessage(toolResult(id));
    session.appendMessage(assistant("second", ["b", "a"]));
    for (const id of ["a", "b", "stray"]) session.appendMessage(toolResult(id));
    expect(
      session.buildContext().messages.flatMap((each) => (each.role === "toolResult" ? [each.toolCallId] : [])),
    ).toEqual([..."abc", ..."ba", "stray"]);
    expect(
      session.entries().map((entry) => (entry as { message?: { toolCallId?: string } }).message?.toolCallId),
    ).toEqual([undefined, ..."cab", undefined, ..."ab", "stray"]);
  });

  test("branch summaries are part of it, empty ones are not", () => {
    const session = inMemory();
    session.appendBranchSummary({ fromId: "root", summary: "elsewhere" });
    session.appendBranchSummary({ fromId: "root", summary: "" });
    expect(session.buildContext().messages).toMatchObject([
      { role: "branchSummary", summary: "elsewhere", fromId: "root" },
    ]);
  });
});

describe("state of a path", () => {
  test("the model is what the user chose last, not what a fallback answered with", () => {
    const session = inMemory();
    session.appendModelChange({ provider: "p", modelId: "chosen" });
    session.appendModelChange({ provider: "p", modelId: "fallback" }, "fallback");
    session.appendModelChange({ provider: "p", modelId: "temporary" }, "temporary");
    talk(session, "a", "b");
    expect(session.buildContext().model).toEqual({ provider: "p", modelId: "chosen" });
  });

  test("without any choice it is the model that answered last", () => {
    const session = inMemory();
    expect(session.buildContext().model).toBeUndefined();
    talk(session, "a", "b");
    session.appendModelChange({ provider: "p", modelId: "fallback" }, "fallback");
    expect(session.buildContext().model).toEqual({ provider: "acme", modelId: "large" });
  });

  test("model, thinking level and injected rules belong to the branch", () => {
    const session = inMemory();
    const [a] = talk(session, "a");
    session.appendThinkingLevelChange("high");
    session.appendRuleInjection(["r"]);
    session.appendModelChange({ provider: "p", modelId: "m" });
    expect(session.buildContext()).toMatchObject({
      thinkingLevel: "high",
      injectedRules: ["r"],
      model: { modelId: "m" },
    });
    session.moveLeaf(a as string);
    const { messages, ...state } = session.buildContext();
    expect(messages).toHaveLength(1);
    expect(state).toEqual({ injectedRules: [] });
  });

  test("a thinking level that we do not know is as if it were not there", async () => {
    const session = await open(
      stateEntry("thinking_level_change", "a", null, { thinkingLevel: "low" }),
      stateEntry("thinking_level_change", "b", "a", { thinkingLevel: "galactic" }),
    );
    expect(session.buildContext().thinkingLevel).toBe("low");
  });
});

describe("from a message to its entry", () => {
  test("by identity, for what was appended and for what the context gives", async () => {
    const session = inMemory();
    const [first, second] = [user("same"), user("same")];
    const ids = [first, second].map((message) => session.appendMessage(message).id);
    const custom = { role: "custom", customType: "c", content: "x", display: true, timestamp: 5 } as const;
    ids.push(session.appendCustomMessage(custom).id);
    ids.push(session.appendCompaction({ summary: "S", firstKeptEntryId: ids[0] as string, tokensBefore: 1 }).id);
    expect([first, second, custom].map((message) => session.entryIdOf(message))).toEqual(ids.slice(0, 3));
    const { messages } = session.buildContext();
    expect(messages.map((message) => session.entryIdOf(message))).toEqual([ids[3], ids[0], ids[1], ids[2]] as string[]);
    expect(messages[1]).toBe(first);
    expect(session.buildContext().messages[0]).toBe(messages[0] as (typeof messages)[0]);
    expect(session.entryIdOf(user("same"))).toBeUndefined();
  });
});
