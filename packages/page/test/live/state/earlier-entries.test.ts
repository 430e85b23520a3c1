import { describe, expect, test } from "bun:test";
import type { RpcEvent, SessionEntry } from "@pintle/client/core";
import { EarlierEntries } from "../../../src/live/state/earlier-entries.ts";
import { Transcript } from "../../../src/live/state/transcript.ts";

const ALL: SessionEntry[] = Array.from({ length: 5 }, (_, at) => ({
  type: "message",
  id: `e${at}`,
  parentId: at === 0 ? null : `e${at - 1}`,
  timestamp: "2026-05-12T09:30:00Z",
  message: { role: "user", content: `says ${at}` },
}));

/**
 * A server that answers as `get_entries` does. It fails after this many requests, to detect a reader that makes no progress.
 */
function server(entries: SessionEntry[]) {
  let left = 10;
  return {
    async getEntries({ before, limit = entries.length }: { before?: string; limit?: number } = {}) {
      left -= 1;
      if (left < 0) throw new Error("asked too often");
      const to = before === undefined ? entries.length : entries.findIndex(({ id }) => id === before);
      const first = Math.max(0, to - limit);
      return { entries: entries.slice(first, to), first, leafId: entries.at(-1)?.id ?? null };
    },
  };
}

const snapshot = (first: number, entries: SessionEntry[]) =>
  ({ type: "session_snapshot", entries, leafId: "e4", first, tools: [] }) as unknown as RpcEvent;

function reader(transcript: Transcript, entries = ALL) {
  const { signal } = new AbortController();
  return new EarlierEntries({ rpc: server(entries) as never, transcript, signal });
}

const shown = ({ conversation, rows }: Transcript) => conversation.items.map((place) => rows[place]?.id);

describe("entries before those that are here", () => {
  test("are read back to the first", async () => {
    const transcript = new Transcript();
    transcript.apply(snapshot(3, ALL.slice(3)));
    await reader(transcript).readUntil();
    expect(shown(transcript)).toEqual(["e0", "e1", "e2", "e3", "e4"]);
  });

  // The connection was lost before the first snapshot, and nothing has arrived since.
  test("a page that has none of the entries reads them from the end", async () => {
    const transcript = new Transcript();
    transcript.apply(snapshot(5, []));
    await reader(transcript).read();
    expect(transcript.first).toBe(0);
    expect(shown(transcript)).toEqual(["e0", "e1", "e2", "e3", "e4"]);
  });

  test("so does one that receives an entry while it reads", async () => {
    const transcript = new Transcript();
    transcript.apply(snapshot(5, []));
    const added = { ...ALL[4], id: "e5", parentId: "e4" } as SessionEntry;
    const reading = reader(transcript, [...ALL, added]).readUntil();
    transcript.apply({ type: "entry_appended", entry: added });
    await reading;
    expect(shown(transcript)).toEqual(["e0", "e1", "e2", "e3", "e4", "e5"]);
  });

  test("what does not fit is a failure, not a reason to ask forever", async () => {
    const transcript = new Transcript();
    transcript.apply(snapshot(7, []));
    await expect(reader(transcript).readUntil()).rejects.toThrow("the session has changed");
  });
});
