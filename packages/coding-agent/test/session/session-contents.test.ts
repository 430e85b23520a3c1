import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { pairingFaults } from "../../../agent/test/support/pairing.ts";
import { makeTool } from "../../../agent/test/support/tools.ts";
import { endlessTool, freshPlace, show, startSession, storedMessages } from "../support/session/test-session.ts";

const headerOf = (path: string) => JSON.parse(readFileSync(path, "utf8").split("\n")[0] as string);

describe("a new session", () => {
  test("remembers the parent its host names, whether that exists or not", async () => {
    const { session } = await startSession([[{ text: "a" }], [{ text: "b" }]]);
    await session.prompt("one");
    const first = session.sessionId;
    await session.changes.newSession({ parentSession: "/nowhere/parent.jsonl" });
    expect(session.sessionId).not.toBe(first);
    await session.prompt("two");
    expect(headerOf(session.sessionFile as string)).toEqual({
      type: "session",
      version: 3,
      id: session.sessionId,
      timestamp: expect.any(String),
      cwd: session.cwd,
      parentSession: "/nowhere/parent.jsonl",
    });
  });

  test("keeps model and thinking level, and writes them down with its first message", async () => {
    const { session } = await startSession([[{ text: "a" }]]);
    await session.models.discoverAndSet("acme", "small");
    session.conversation.rename("old name");
    await session.changes.newSession();
    await session.prompt("one");
    expect({ model: session.model.id, name: session.sessionName }).toEqual({ model: "small", name: undefined });
    expect(session.manager.entries().map(({ type }) => type)).toEqual([
      "model_change",
      "thinking_level_change",
      "message",
      "message",
    ]);
  });

  test("of a session in memory is in memory", async () => {
    const place = freshPlace();
    const { session } = await startSession([[{ text: "a" }]], { place, session: { inMemory: true } });
    await session.changes.newSession();
    await session.prompt("one");
    expect({ file: session.sessionFile, messages: show(session.messages) }).toEqual({
      file: undefined,
      messages: ["user: one", "assistant: a"],
    });
  });
});

describe("branch and clone", () => {
  async function conversation() {
    const place = freshPlace();
    const answers = ["a", "b", "c", "d"].map((text) => [{ text }]);
    const { session } = await startSession(answers, { place });
    await session.prompt("one");
    await session.prompt("two");
    session.conversation.rename("a name");
    return { place, session, file: session.sessionFile as string };
  }

  test("a branch gives the text back, ends before it, keeps parent and model, and not a name given later", async () => {
    const { place, session, file } = await conversation();
    const [, second] = session.manager.userMessages();
    expect(await session.changes.branch(second?.entryId ?? "")).toEqual({ text: "two", cancelled: false });
    expect({ messages: show(session.messages), name: session.sessionName, model: session.model.id }).toEqual({
      messages: ["user: one", "assistant: a"],
      name: undefined,
      model: "large",
    });
    await session.prompt("else");
    const branch = session.sessionFile as string;
    expect(headerOf(branch)).toMatchObject({ id: session.sessionId, parentSession: file, cwd: place.cwd });
    expect(show(await storedMessages(place, branch))).toEqual([
      "user: one",
      "assistant: a",
      "user: else",
      "assistant: c",
    ]);
    expect(show(await storedMessages(place, file))).toEqual(["user: one", "assistant: a", "user: two", "assistant: b"]);
  });

  test("one can branch from another branch of the file", async () => {
    const { session } = await conversation();
    const [first, second] = session.manager.userMessages();
    session.manager.moveLeaf(session.manager.entry(first?.entryId ?? "")?.parentId ?? null);
    await session.prompt("other");
    expect(await session.changes.branch(second?.entryId ?? "")).toEqual({ text: "two", cancelled: false });
    expect(show(session.messages)).toEqual(["user: one", "assistant: a"]);
  });

  test("a clone holds the whole path and leaves the original alone", async () => {
    const { place, session, file } = await conversation();
    const before = readFileSync(file, "utf8");
    await session.changes.clone();
    await session.prompt("three");
    const clone = session.sessionFile as string;
    expect(headerOf(clone)).toMatchObject({ parentSession: file });
    expect({ name: session.sessionName, messages: show(await storedMessages(place, clone)) }).toEqual({
      name: "a name",
      messages: ["user: one", "assistant: a", "user: two", "assistant: b", "user: three", "assistant: c"],
    });
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("a session without a message cannot be cloned", async () => {
    const { session } = await startSession([]);
    expect(await session.changes.clone().catch(String)).toContain("Cannot clone session: no current entry selected");
  });

  test("a copy of a session whose tool still runs elsewhere has a result for its call", async () => {
    const place = freshPlace();
    const { tool, running } = endlessTool("slow");
    const first = await startSession([[{ call: "slow" }]], { place, agentTools: [tool] });
    const run = first.session.prompting.submit({ text: "one" });
    await running;
    const original = first.session.sessionFile as string;

    const { session, requests } = await startSession([[{ text: "b" }]], { place, session: { fork: original } });
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
    await session.prompt("two");
    expect(pairingFaults(requests[0]?.context.messages ?? [])).toEqual([]);
    await first.session.abort();
    await run.finished;
    expect(show(await storedMessages(place, original)).at(-1)).toBe("toolResult(error): stopped");
    expect(show(await storedMessages(place, session.sessionFile as string)).slice(3)).toEqual([
      "user: two",
      "assistant: b",
    ]);
  });

  test("sessions in memory branch and clone in memory", async () => {
    const { session } = await startSession([[{ text: "a" }], [{ text: "b" }]], { session: { inMemory: true } });
    await session.prompt("one");
    await session.changes.clone();
    await session.prompt("two");
    await session.changes.branch(session.manager.userMessages()[1]?.entryId ?? "");
    expect({ file: session.sessionFile, messages: show(session.messages) }).toEqual({
      file: undefined,
      messages: ["user: one", "assistant: a"],
    });
  });
});

describe("entries", () => {
  test("since an id are those that came after it; an unknown id is an error", async () => {
    const { session } = await startSession([[{ text: "a" }]]);
    await session.prompt("one");
    const { manager } = session;
    const all = manager.entries();
    expect(all.map(({ type }) => type)).toEqual(["model_change", "thinking_level_change", "message", "message"]);
    expect(manager.entries(all[1]?.id)).toEqual(all.slice(2));
    expect(manager.entries(all.at(-1)?.id)).toEqual([]);
    expect(() => manager.entries("nonsense")).toThrow("Entry not found: nonsense");
  });

  test("form a tree with every branch, oldest first", async () => {
    const { session } = await startSession([[{ text: "a" }], [{ text: "b" }]]);
    await session.prompt("one");
    const { manager } = session;
    const [first] = manager.userMessages();
    manager.moveLeaf(manager.entry(first?.entryId ?? "")?.parentId ?? null);
    await session.prompt("two");
    const [model] = manager.tree();
    const thinking = model?.children[0];
    expect(thinking?.children.map(({ entry, children }) => [entry.id, children.length])).toEqual(
      manager.userMessages().map(({ entryId }) => [entryId, 1]),
    );
  });
});

describe("numbers", () => {
  test("count the messages in context, and everything the path ever cost", async () => {
    const place = freshPlace();
    const usage = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cost: { total: 0.5 } };
    const { session } = await startSession(
      [[{ call: "delegate" }, { call: "plain" }], [{ text: "done" }], [{ text: "after" }]],
      {
        place,
        agentTools: [makeTool("delegate", async () => ({ content: [], details: { usage } })), makeTool("plain")],
      },
    );
    await session.prompt("one");
    // The model: 2 answers of 10 + 5 tokens at 1 and 2 each; the tool: 4 tokens for 0.5.
    const tokens = { input: 21, output: 11, cacheRead: 1, cacheWrite: 1, total: 34 };
    const counts = { userMessages: 1, assistantMessages: 2, toolCalls: 2, toolResults: 2, totalMessages: 5 };
    const expected = {
      sessionFile: session.sessionFile as string,
      sessionId: session.sessionId,
      ...counts,
      tokens,
      cost: 40.5,
      premiumRequests: 0,
      cacheBreaks: { count: 0, bytesLost: 0, tokensLost: 0 },
      contextUsage: { tokens: 15, contextWindow: 1000, percent: 1.5 },
      lifetime: { tokens, cost: 40.5 },
    };
    expect(session.getSessionStats()).toEqual(expected);

    // A compaction removes everything from the context and has a cost itself.
    session.manager.appendCompaction({
      summary: "short",
      tokensBefore: 15,
      details: { usage: { input: 7, cost: { total: 7 } } },
    });
    await session.dispose();
    const again = await startSession([], { place, session: { open: session.sessionFile as string } });
    const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    expect(again.session.getSessionStats()).toEqual({
      ...expected,
      userMessages: 0,
      assistantMessages: 0,
      toolCalls: 0,
      toolResults: 0,
      totalMessages: 1,
      tokens: zero,
      cost: 0,
      contextUsage: { tokens: null, contextWindow: 1000, percent: null },
      lifetime: { tokens: { ...tokens, input: 28, total: 41 }, cost: 47.5 },
    });
  });

  test("the usage of an aborted answer is counted as cost, but is no measure of the context", async () => {
    const { session } = await startSession([[{ text: "x".repeat(400) }, { fail: "invalid_request" }]]);
    await session.prompt("one");
    const usage = session.getContextUsage();
    expect(usage?.tokens).toBeGreaterThan(100); // an estimate of the messages and of the system prompt
    expect(session.getSessionStats().tokens.total).toBe(0);
  });
});

describe("the model of a session", () => {
  test("is restored by a switch, with its thinking level; a new one is announced", async () => {
    const place = freshPlace();
    const first = await startSession([[{ text: "a" }]], { place, flags: { model: "acme/small" } });
    await first.session.prompt("one");
    await first.session.dispose();
    const { session, requests } = await startSession([[{ text: "b" }]], { place });
    expect(session.model.id).toBe("large");
    await session.changes.switchSession(first.session.sessionFile as string);
    expect(session.model.id).toBe("small");
    await session.prompt("two");
    expect(session.messages.at(-1)).toMatchObject({ provider: "acme", model: "small" });
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["gone", "gone", "m", "The session's model gone/m is unknown."],
    [
      "anthropic without a key",
      "anthropic",
      "claude-opus-5-5",
      "The session's model anthropic/claude-opus-5-5 has no API key. Set ANTHROPIC_OAUTH_TOKEN or ANTHROPIC_API_KEY, or add the key to auth.json.",
    ],
  ])("that is %s is replaced, which a notice says", async (_what, provider, modelId, reason) => {
    const place = freshPlace();
    const first = await startSession([[{ text: "a" }]], { place });
    await first.session.prompt("one");
    first.session.manager.appendModelChange({ provider, modelId });
    await first.session.dispose();
    const path = first.session.sessionFile as string;

    const { session, events } = await startSession([], { place });
    await session.changes.switchSession(path);
    expect(session.model.id).toBe("large");
    expect(events.filter(({ type }) => type === "notice")).toEqual([
      { type: "notice", level: "warning", message: `${reason} Using acme/large.`, source: "model" },
    ]);
    await session.dispose();
    const opened = await startSession([], { place, session: { open: path } });
    expect(opened.modelFallbackMessage).toBe(`${reason} Using acme/large.`);
  });

  test("what a fallback used for a while does not become the model on reload", async () => {
    const place = freshPlace();
    const { session } = await startSession([[{ text: "a" }]], { place });
    await session.prompt("one");
    session.manager.appendModelChange({ provider: "acme", modelId: "small" }, "fallback");
    await session.dispose();
    const again = await startSession([], { place, session: { continueRecent: true } });
    expect(again.session.model.id).toBe("large");
  });
});

describe("the directory of a session", () => {
  test("that is gone is replaced by the one we are in, which a notice says", async () => {
    const place = freshPlace();
    const first = await startSession([[{ text: "a" }]], { place });
    await first.session.prompt("one");
    await first.session.dispose();
    const path = first.session.sessionFile as string;
    writeFileSync(path, readFileSync(path, "utf8").replace(place.cwd, "/nowhere/at/all"));
    const problem = `The session's directory /nowhere/at/all cannot be entered. Working in ${place.cwd}.`;

    const { session, events } = await startSession([], { place });
    await session.changes.switchSession(path);
    await session.systemPrompt.load();
    expect({ cwd: session.cwd, prompt: session.systemPrompt.text.endsWith(place.cwd) }).toEqual({
      cwd: place.cwd,
      prompt: true,
    });
    expect(events.filter(({ type }) => type === "notice")).toEqual([
      { type: "notice", level: "warning", message: problem, source: "session" },
    ]);
    await session.dispose();
    const problems: string[] = [];
    const opened = await startSession([], { place, session: { open: path }, report: (text) => problems.push(text) });
    expect({ cwd: opened.session.cwd, problems }).toEqual({ cwd: place.cwd, problems: [problem] });
  });
});

describe("a session of a newer version", () => {
  test("can be opened and read, and refuses a prompt before anything happens", async () => {
    const place = freshPlace();
    const path = `${place.cwd}/future.jsonl`;
    const content = `${JSON.stringify({ type: "session", version: 4, id: "x", timestamp: "2030-01-01T00:00:00.000Z", cwd: place.cwd })}\n`;
    writeFileSync(path, content);
    const { session, events, requests } = await startSession([], { place });
    await session.changes.switchSession(path);
    events.length = 0;
    expect(await session.prompt("one").catch((error: Error) => error.message)).toBe(
      `Session ${path} has version 4 and can only be read`,
    );
    await session.changes.newSession();
    expect({ requests, file: readFileSync(path, "utf8") }).toEqual({ requests: [], file: content });
    expect(events.map(({ type }) => type)).toEqual(["session_info_changed"]);
  });
});

test("a session that cannot be started gives the file back", async () => {
  const place = freshPlace();
  const first = await startSession([[{ text: "a" }]], { place });
  await first.session.prompt("one");
  await first.session.dispose();
  const session = { continueRecent: true };
  expect(await startSession([], { place, session, flags: { model: "nonsense" } }).catch(String)).toContain("nonsense");
  expect(await startSession([], { place, session: { ...session, name: " " } }).catch(String)).toContain("name");
  const again = await startSession([], { place, session });
  expect(show(again.session.messages)).toEqual(["user: one", "assistant: a"]);
});
