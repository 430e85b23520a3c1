import { expect, test } from "bun:test";
import fc from "fast-check";
import { EntryLog } from "../../../../../storage/src/entries/entry-log.ts";
import type { SessionManager } from "../../../../../storage/src/session-manager.ts";
import { entriesPage } from "../../../../src/modes/rpc/commands/entries-page.ts";
import { MAX_PAGE_BYTES } from "../../../../src/modes/rpc/commands/page-size.ts";

const entry = (at: number, text = "") => ({
  type: "custom",
  customType: "test",
  id: `e${at}`,
  parentId: at === 0 ? null : `e${at - 1}`,
  timestamp: "2026-05-12T09:30:00Z",
  data: text,
});

/** The part of a session manager that is used. */
function sessionOf(texts: readonly string[]): SessionManager {
  const log = new EntryLog(texts.map((text, at) => entry(at, text)));
  return { entries: () => log.all, position: (id: string) => log.position(id) } as unknown as SessionManager;
}

test("pages read from the end add up to the session", () => {
  fc.assert(
    fc.property(fc.nat({ max: 50 }), fc.integer({ min: 1, max: 12 }), (length, limit) => {
      const session = sessionOf(Array.from({ length }, () => "x"));
      let read = entriesPage(session, { limit });
      const found = [...read.entries];
      while ((read.first ?? 0) > 0) {
        const before = found[0]?.id ?? "";
        read = entriesPage(session, { before, limit });
        expect(read.entries.length).toBe(Math.min(limit, length - found.length));
        found.unshift(...read.entries);
      }
      expect(found.map(({ id }) => id)).toEqual(session.entries().map(({ id }) => id));
      expect(read.first).toBe(0);
    }),
  );
});

test("returns the entries between two others", () => {
  const session = sessionOf(Array.from({ length: 9 }, () => "x"));
  const ids = (which: Parameters<typeof entriesPage>[1]) => entriesPage(session, which).entries.map(({ id }) => id);
  expect(ids({ since: "e2", before: "e6" })).toEqual(["e3", "e4", "e5"]);
  expect(ids({ since: "e2", before: "e6", limit: 2 })).toEqual(["e4", "e5"]);
  expect(ids({ since: "e6", before: "e2", limit: 2 })).toEqual([]);
  expect(entriesPage(session, { since: "e8", limit: 2 })).toEqual({ entries: [], first: 9 });
});

test("limits the size of a page, but always includes its first entry", () => {
  const large = "x".repeat(MAX_PAGE_BYTES);
  const half = "x".repeat(MAX_PAGE_BYTES / 2 - 1_000);
  const ids = (texts: string[]) => entriesPage(sessionOf(texts), { limit: 5 }).entries.map(({ id }) => id);
  expect(ids(["x", large])).toEqual(["e1"]);
  expect(ids([large, "x", "x"])).toEqual(["e1", "e2"]);
  expect(ids([half, half, half])).toEqual(["e1", "e2"]);
});
