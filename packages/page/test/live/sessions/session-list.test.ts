import { expect, test } from "bun:test";
import type { ServedSession } from "@pintle/client/core";
import { SessionList } from "../../../src/live/sessions/session-list.ts";

const session = (sessionId: string): ServedSession => ({
  sessionId,
  cwd: "/",
  createdAt: "",
  updatedAt: "",
  messageCount: 1,
  status: "stored",
});

/** Answers when the test says so. */
function slowServer() {
  const waiting: {
    query: string | undefined;
    limit: number | undefined;
    answer(ids: string[], more?: boolean): void;
  }[] = [];
  const list = new SessionList({
    list: ({ query, limit } = {}) =>
      new Promise((resolve) =>
        waiting.push({
          query,
          limit,
          answer: (ids, more = false) => resolve({ sessions: ids.map(session), ...(more && { nextCursor: "c" }) }),
        }),
      ),
  });
  return { list, waiting, ids: () => list.listing.value.sessions.map(({ sessionId }) => sessionId) };
}

test("only the response to the latest search applies", async () => {
  const { list, waiting, ids } = slowServer();
  const searches = [list.search("a"), list.search(" ab ")];
  waiting[1]?.answer(["ab"]);
  waiting[0]?.answer(["a", "ab"]);
  await Promise.all(searches);
  expect(waiting.map(({ query }) => query)).toEqual(["a", "ab"]);
  expect([ids(), list.listing.value.query]).toEqual([["ab"], "ab"]);
});

test("requests for more continue the list, and another search starts over", async () => {
  const { list, waiting } = slowServer();
  const asked = [list.renew(), list.more(), list.renew(), list.search("x")];
  for (const { answer } of waiting) answer(["a"], true);
  await Promise.all(asked);
  expect(waiting.map(({ limit }) => limit)).toEqual([50, 100, 100, 50]);
  expect(list.listing.value.hasMore).toBe(true);
});

test("what was deleted is gone before the server is asked again", async () => {
  const { list, waiting, ids } = slowServer();
  const renewed = list.renew();
  waiting[0]?.answer(["a", "b"]);
  await renewed;
  list.drop("a");
  expect(ids()).toEqual(["b"]);
});
