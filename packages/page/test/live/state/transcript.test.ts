import { describe, expect, test } from "bun:test";
import type { RpcEvent, SessionEntry } from "@pintle/client/core";
import fc from "fast-check";
import { Transcript } from "../../../src/live/state/transcript.ts";
import { buildConversation } from "../../../src/tree/conversation.ts";

const user = (id: string, parentId: string | null): SessionEntry =>
  entry(id, parentId, { role: "user", content: `says ${id}` });
const call = (id: string, parentId: string | null, callId: string): SessionEntry =>
  entry(id, parentId, {
    role: "assistant",
    content: [{ type: "toolCall", id: callId, name: "bash", arguments: { command: "ls" } }],
  });
const result = (id: string, parentId: string | null, callId: string): SessionEntry =>
  entry(id, parentId, { role: "toolResult", toolCallId: callId, toolName: "bash", content: [] });

function entry(id: string, parentId: string | null, message: object): SessionEntry {
  const fields = { type: "message", id, parentId, timestamp: "2026-05-12T09:30:00Z", message };
  return fields;
}

function listened(transcript: Transcript): string[] {
  const told: string[] = [];
  transcript.listen(
    {
      reset: () => told.push("reset"),
      grown: () => told.push("grown"),
      earlier: (count) => told.push(`earlier ${count}`),
      answered: (id) => told.push(`answered ${id}`),
      writing: (answer) => told.push(answer ? "writing" : "written"),
    },
    new AbortController().signal,
  );
  return told;
}

const appended = (added: SessionEntry): RpcEvent => ({ type: "entry_appended", entry: added });
const items = ({ conversation, rows }: Transcript) => conversation.items.map((place) => rows[place]?.id);

describe("a transcript", () => {
  test("grows by what is stored; a result belongs to its call", () => {
    const transcript = new Transcript();
    const told = listened(transcript);
    for (const added of [user("a", null), call("b", "a", "c1"), result("c", "b", "c1"), user("d", "c")])
      transcript.apply(appended(added));
    expect(items(transcript)).toEqual(["a", "b", "d"]);
    expect(told).toEqual(["grown", "grown", "answered c1", "grown"]);
  });

  test("an answer that is written ends with its entry, not with the event behind it", () => {
    const transcript = new Transcript();
    const message = { role: "assistant", content: [] } as never;
    transcript.apply({ type: "message_start", message, messageId: "m" });
    const told = listened(transcript);
    transcript.apply(appended(call("b", null, "c1")));
    transcript.apply({ type: "message_end", message, messageId: "m" });
    expect(told).toEqual(["grown", "written"]);
  });

  test("another branch is another conversation, and earlier notifications are not repeated", () => {
    const transcript = new Transcript();
    for (const added of [user("a", null), user("b", "a")]) transcript.apply(appended(added));
    const told = listened(transcript);
    transcript.apply(appended(user("c", "a")));
    transcript.apply({ type: "leaf_moved", leafId: "b", previousLeafId: "c" });
    transcript.apply(appended(user("b", "a")));
    expect(items(transcript)).toEqual(["a", "b"]);
    expect(told.slice(0, 2)).toEqual(["reset", "reset"]);
  });

  test("entry by entry it is what it would be if all came at once", () => {
    const parents = fc.array(fc.nat({ max: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(parents, (back) => {
        const transcript = new Transcript();
        for (const [at, by] of back.entries()) {
          const parent = at === 0 ? null : `e${Math.max(0, at - 1 - by)}`;
          const make = at % 3 === 1 ? call : at % 3 === 2 ? result : user;
          transcript.apply(appended(make(`e${at}`, parent, `c${at - (at % 3)}`)));
        }
        const whole = buildConversation(transcript.rows, transcript.rows.length - 1, false);
        const { path, items, resultOf, ownerOf } = transcript.conversation;
        expect({ path, items, resultOf, ownerOf }).toEqual({
          path: [...whole.path],
          items: [...whole.items],
          resultOf: new Map(whole.resultOf),
          ownerOf: new Map(whole.ownerOf),
        });
      }),
    );
  });

  test("read from the end, page by page, it is what it would be if all came at once", () => {
    const file = fc.array(fc.record({ back: fc.nat({ max: 6 }), kind: fc.nat({ max: 4 }), target: fc.nat() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(file, fc.integer({ min: 1, max: 9 }), fc.nat({ max: 9 }), (lines, size, after) => {
        const entries = lines.map(({ back, kind, target }, at) => anyEntry(at, back, kind, target));
        const whole = new Transcript();
        whole.add(entries, entries.at(-1)?.id ?? null, 0);
        const paged = new Transcript();
        const told = listened(paged);
        const known = Math.max(0, entries.length - after);
        const first = Math.max(0, known - size);
        paged.add(entries.slice(first, known), entries[known - 1]?.id ?? null, first);
        // Some entries are stored while earlier ones are read.
        for (const added of entries.slice(known)) paged.apply(appended(added));
        while (paged.first > 0) {
          const before = Math.max(0, paged.first - size);
          paged.addEarlier(before, entries.slice(before, paged.first));
        }
        expect(paged.rows).toEqual([...whole.rows]);
        expect(shown(paged)).toEqual(shown(whole));
        expect(told[0]).toBe("reset");
      }),
    );
  });

  test("earlier entries are inserted, without any other notification", () => {
    const entries = [user("a", null), call("b", "a", "c1"), result("c", "b", "c1"), user("d", "c")];
    const transcript = new Transcript();
    transcript.add(entries.slice(2), "d", 2);
    expect(items(transcript)).toEqual(["d"]);
    expect(transcript.conversation.isPartial).toBe(true);
    const told = listened(transcript);
    transcript.addEarlier(0, entries.slice(0, 2));
    expect(items(transcript)).toEqual(["a", "b", "d"]);
    expect(told).toEqual(["earlier 2"]);
    expect(transcript.conversation.isPartial).toBe(false);
  });

  test("a snapshot that does not reach what is known takes its place", () => {
    const transcript = new Transcript();
    transcript.add([user("a", null), user("b", "a")], "b", 0);
    transcript.add([user("y", "x"), user("z", "y")], "z", 7);
    expect(items(transcript)).toEqual(["y", "z"]);
    expect(transcript.first).toBe(7);
    // A matching one continues after it.
    transcript.add([user("z", "y"), user("zz", "z")], "zz", 8);
    expect(items(transcript)).toEqual(["y", "z", "zz"]);
    expect(transcript.first).toBe(7);
  });
});

function shown({ conversation, rows }: Transcript): unknown {
  const { path, items, resultOf, ownerOf, turnOf, decisionOf, isPartial } = conversation;
  return { path, items, resultOf, ownerOf, turnOf, decisionOf, isPartial, ids: items.map((place) => rows[place]?.id) };
}

function anyEntry(at: number, back: number, kind: number, target: number): SessionEntry {
  const [id, parentId] = [`e${at}`, at === 0 ? null : `e${Math.max(0, at - 1 - back)}`];
  const targetId = `e${at === 0 ? 0 : target % at}`;
  const fields = { id, parentId, timestamp: "2026-05-12T09:30:00Z" };
  if (kind === 3) return { ...fields, type: "label", targetId, label: `label ${at}` } as SessionEntry;
  if (kind === 4) return { ...fields, type: "custom", customType: "prune", data: { ids: [targetId] } } as SessionEntry;
  const make = kind === 1 ? call : kind === 2 ? result : user;
  return make(id, parentId, `c${kind === 2 ? target % (at + 1) : at}`);
}

test("the clock of a call starts again when the call is approved", () => {
  const transcript = new Transcript();
  transcript.apply({ type: "tool_execution_start", toolCallId: "c", toolName: "bash", args: {} });
  const before = Date.now() - 60_000;
  transcript.tools.set("c", { toolCallId: "c", toolName: "bash", args: {}, startedAt: before });
  transcript.apply({ type: "approval_resolved", toolCallId: "c", decision: "allow_once", by: "host" });
  transcript.apply({ type: "approval_resolved", toolCallId: "other", decision: "deny", by: "host" });
  expect([...transcript.tools.keys()]).toEqual(["c"]);
  expect(transcript.tools.get("c")?.startedAt).toBeGreaterThan(before);
});
