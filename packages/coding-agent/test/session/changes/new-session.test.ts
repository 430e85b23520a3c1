import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { SessionManager } from "../../../../storage/src/session-manager.ts";
import { NO_HOOKS } from "../../../src/session/attached-hooks.ts";
import type { ForkDecision, SessionHooks } from "../../../src/session/session-hooks.ts";
import { forever, nextEvent, show, startSession, storedTexts } from "../../support/session/test-session.ts";

/** Records the order in which hooks are called and events are received. */
async function notedSession(fork: ForkDecision = { isCancelled: false, keepsConversation: false }) {
  const started = await startSession([[{ text: "first" }], [{ text: "second" }], [{ text: "third" }]]);
  const notes: unknown[] = [];
  const note = (...items: unknown[]) => void notes.push(items.filter((item) => item !== undefined));
  const hooks: SessionHooks = {
    ...NO_HOOKS,
    async isSwitchCancelled({ reason }) {
      note("asked", reason);
      return false;
    },
    async beforeFork({ position }) {
      note("asked", position);
      return fork;
    },
    leaveSession: async (reason, target) => note("left", reason, target),
    enterSession: async (reason, previous) => note("entered", reason, previous),
  };
  started.session.useHooks(hooks);
  started.session.subscribe(({ type }) => {
    if (type === "session_info_changed") note(type);
  });
  return { ...started, notes };
}

const user = (text: string) => ({
  role: "user" as const,
  content: [{ type: "text" as const, text }],
  timestamp: 1,
});

describe("a new session that is set up", () => {
  test("is announced only when that is done", async () => {
    const { session, notes } = await notedSession();
    await session.prompt("one");
    const { sessionFile: before } = session;
    let prepared: SessionManager | undefined;
    const setup = async (manager: SessionManager) => {
      prepared = manager;
      notes.push(["setup", session.manager === manager]);
      await undefined;
      manager.appendMessage(user("said before"));
    };
    expect(await session.changes.newSession({ setup })).toBe(false);
    expect(session.manager).toBe(prepared as SessionManager);
    expect(notes).toEqual([
      ["asked", "new"],
      ["setup", false],
      ["left", "new", session.sessionFile],
      ["session_info_changed"],
      ["entered", "new", before],
    ]);
    expect(show(session.messages)).toEqual(["user: said before"]);
    await session.prompt("two");
    expect(storedTexts(session.sessionFile as string)).toEqual(["user: said before", "user: two", "assistant: second"]);
    await session.dispose();
  });

  test("a failing setup changes nothing: the run continues, and no file is left", async () => {
    const { session } = await startSession([[{ text: "par" }, { wait: forever }]]);
    const streaming = nextEvent(session, "message_update");
    const { started } = session.prompting.submit({ text: "one" });
    await started;
    await streaming;
    const { sessionId } = session;
    let file: string | undefined;
    const failed = await session.changes
      .newSession({
        setup(manager) {
          manager.appendMessage(user("said before"));
          file = manager.sessionFile;
          expect(existsSync(file as string)).toBe(true);
          throw new Error("no");
        },
      })
      .catch(String);
    expect([failed, session.sessionId === sessionId, session.isStreaming]).toEqual(["Error: no", true, true]);
    expect(existsSync(file as string)).toBe(false);
    await session.dispose();
  });
});

describe("a copy", () => {
  test("ends with the entry that was named, on whatever branch", async () => {
    const { session, notes } = await notedSession();
    for (const text of ["one", "two", "three"]) await session.prompt(text);
    const answers = session.manager.path().filter((entry) => JSON.stringify(entry).includes('"assistant"'));
    await session.lifecycle.navigateTree(answers[0]?.id as string);
    expect(await session.changes.clone(answers[1]?.id)).toBe(false);
    expect(show(session.messages)).toEqual(["user: one", "assistant: first", "user: two", "assistant: second"]);
    expect(notes.slice(0, 2)).toEqual([
      ["asked", "at"],
      ["left", "fork", session.sessionFile],
    ]);
    await session.dispose();
  });

  test("of an entry that does not exist is refused before any extension is asked", async () => {
    const { session, notes } = await notedSession();
    await session.prompt("one");
    expect(await session.changes.clone("nowhere").catch(String)).toContain("Invalid entry ID for branching");
    expect(notes).toEqual([]);
    await session.dispose();
  });

  test("contains the whole conversation if requested", async () => {
    const { session } = await notedSession({ isCancelled: false, keepsConversation: true });
    for (const text of ["one", "two"]) await session.prompt(text);
    const { sessionId } = session;
    const entryId = session.manager.userMessages()[0]?.entryId as string;
    expect(await session.changes.branch(entryId)).toEqual({ text: "one", cancelled: false });
    expect([session.sessionId === sessionId, session.messages.length]).toEqual([false, 4]);
    await session.dispose();
  });
});
