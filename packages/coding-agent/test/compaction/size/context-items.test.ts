import { expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import { testStore, texts } from "../../../../storage/test/support/stores.ts";
import { readWindow } from "../../../src/compaction/size/context-items.ts";
import { answer, bash, developer, result, user } from "../../support/compaction/messages.ts";

function sessionOf(...messages: AgentMessage[]) {
  const session = testStore().store.createInMemory();
  for (const message of messages) session.appendMessage(message);
  return session;
}

function windowOf(session: ReturnType<typeof sessionOf>) {
  const { items, previous } = readWindow(session, session.path());
  return { texts: texts(items.map(({ message }) => message)), ids: items.map(({ entryId }) => entryId), previous };
}

test("each message with its entry", () => {
  const session = sessionOf(user("a"), developer("b"), answer("c"));
  const ids = session.path().map(({ id }) => id);
  expect(windowOf(session)).toEqual({ texts: ["a", "b", "c"], ids, previous: undefined });
});

test("omits failed answers and their synthetic results", () => {
  const failed = answer("failed", { calls: ["a"], stopReason: "error" });
  const session = sessionOf(
    user("q"),
    failed,
    result("a", "made up"),
    answer("fine", { calls: ["a"] }),
    result("a", "real"),
  );
  expect(windowOf(session).texts).toEqual(["q", "fine<toolCall>", "real"]);
});

test("a failed answer that uses an id again leaves the earlier result alone", () => {
  const failed = answer("failed", { calls: ["a"], stopReason: "error" });
  const session = sessionOf(answer("fine", { calls: ["a"] }), result("a", "real"), failed, result("a", "made up"));
  expect(windowOf(session).texts).toEqual(["fine<toolCall>", "real"]);
});

test("keeps text and calls of an aborted answer", () => {
  const aborted = (text: string, calls: string[] = []) => answer(text, { calls, stopReason: "aborted" });
  const session = sessionOf(user("q"), aborted(""), aborted("half"), aborted("", ["a"]));
  expect(windowOf(session).texts).toEqual(["q", "half", "<toolCall>"]);
});

test("omits results without a call, and what the user excluded", () => {
  const excluded = { ...bash("secret"), excludeFromContext: true } as AgentMessage;
  expect(windowOf(sessionOf(user("q"), result("x", "nobody's"), excluded)).texts).toEqual(["q"]);
});

test("after a compaction: what it kept, what came after it, and itself", () => {
  const session = sessionOf(user("a"), answer("b"), user("c"));
  const kept = session.path()[1]?.id ?? "";
  const previous = session.appendCompaction({ summary: "S", firstKeptEntryId: kept, tokensBefore: 1 });
  session.appendMessage(answer("d"));
  expect(windowOf(session)).toMatchObject({ texts: ["b", "c", "d"], previous });
});
