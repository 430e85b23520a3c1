import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Row } from "../../src/page-data.ts";
import { buildConversation, childrenOf, newestLeaf, pathTo } from "../../src/tree/conversation.ts";
import { FILTERS, treeLines } from "../../src/tree/tree-model.ts";

function row(parent: number, more: Partial<Row> = {}): Row {
  return { id: String(Math.random()), parent, kind: "user", title: "t", at: 0, size: 0, ...more };
}

/** 0 - 1 - 2 - 3 and 1 - 4 - 5, with 4 hidden. */
const rows = [row(-1), row(0), row(1), row(2), row(1, { kind: "data" }), row(4)];

describe("the tree", () => {
  const accepts = (place: number) => rows[place]?.kind !== "data";

  const shape = (onPath: number[]) =>
    treeLines(childrenOf(rows), { accepts, closed: new Set(), onPath: new Set(onPath) }).map(
      ({ place, depth, isFork }) => [place, depth, isFork],
    );

  test("other branches are indented before the shown branch continues, and omitted entries are bridged", () => {
    expect(shape([0, 1, 4, 5])).toEqual([
      [0, 0, false],
      [1, 0, false],
      [2, 1, true],
      [3, 1, false],
      [5, 0, false],
    ]);
    expect(shape([0, 1, 2, 3])).toEqual([
      [0, 0, false],
      [1, 0, false],
      [5, 1, true],
      [2, 0, false],
      [3, 0, false],
    ]);
  });

  test("the shown branch is never indented, however often it forked", () => {
    const forked = Array.from({ length: 300 }, (_, place) =>
      row(place === 0 ? -1 : place % 3 === 0 ? place - 3 : place - 1),
    );
    const onPath = new Set(pathTo(forked, 297));
    const lines = treeLines(childrenOf(forked), { accepts: () => true, closed: new Set(), onPath });
    expect(lines.filter(({ place, depth }) => onPath.has(place) && depth > 0)).toEqual([]);
    expect(Math.max(...lines.map(({ depth }) => depth))).toBe(1);
  });

  test("a closed fork hides its way on", () => {
    const lines = treeLines(childrenOf(rows), { accepts, closed: new Set([2]), onPath: new Set([5]) });
    expect(lines.map(({ place }) => place)).toEqual([0, 1, 2, 5]);
  });

  test("several beginnings are a fork", () => {
    const lines = treeLines(childrenOf([row(-1), row(-1)]), {
      accepts: () => true,
      closed: new Set(),
      onPath: new Set(),
    });
    expect(lines.map(({ depth, isFork }) => [depth, isFork])).toEqual([
      [0, true],
      [0, false],
    ]);
  });

  test("subagents follow the conversation, whichever is shown", () => {
    const family = [row(-1), row(0), row(-1, { kind: "subagent" }), row(2), row(-1, { kind: "subagent" }), row(4)];
    const shape = (onPath: number[]) =>
      treeLines(childrenOf(family), {
        accepts: () => true,
        closed: new Set([4]),
        onPath: new Set(onPath),
        firstSubagent: 2,
      }).map(({ place, depth, isFork, isOpen }) => [place, depth, isFork && (isOpen ? "open" : "closed")]);
    const lines: unknown = [
      [0, 0, false],
      [1, 0, false],
      [2, 1, "open"],
      [3, 1, false],
      [4, 1, "closed"],
    ];
    expect(shape([0, 1])).toEqual(lines as never);
    expect(shape([2, 3])).toEqual(lines as never);
  });

  test("has every accepted entry once, below its parent; a path may be as long as the session", () => {
    const parents = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(parents, fc.func(fc.boolean()), (numbers, isAccepted) => {
        const tree = numbers.map((number, place) => row((number % (place + 1)) - 1));
        const lines = treeLines(childrenOf(tree), {
          accepts: isAccepted as never,
          closed: new Set(),
          onPath: new Set(),
        }).map(({ place }) => place);
        expect(lines.toSorted((a, b) => a - b)).toEqual(
          tree.flatMap((_, place) => (isAccepted(place as never) ? [place] : [])),
        );
        for (const place of lines) {
          for (const above of pathTo(tree, place)) {
            if (lines.includes(above)) expect(lines.indexOf(above)).toBeLessThanOrEqual(lines.indexOf(place));
          }
        }
      }),
    );
    const long = Array.from({ length: 50_000 }, (_, place) => row(place - 1));
    expect(treeLines(childrenOf(long), { accepts: () => true, closed: new Set(), onPath: new Set() })).toHaveLength(
      50_000,
    );
    expect(newestLeaf(childrenOf(long), 0)).toBe(49_999);
  });

  test("the filters", () => {
    const kinds: Row[] = [
      row(-1, { label: "L" }),
      row(0, { kind: "assistant" }),
      row(0, { kind: "assistant", title: "bash", calls: [{ id: "c", name: "bash", summary: "" }] }),
      row(0, { kind: "tool" }),
      row(0, { kind: "change" }),
    ];
    const accepted = Object.fromEntries(
      FILTERS.map(({ name, accepts: isAccepted }) => [
        name,
        kinds.flatMap((one, place) => (isAccepted(one) ? [place] : [])),
      ]),
    );
    expect(accepted).toEqual({
      default: [0, 1, 3],
      "no-tools": [0, 1],
      user: [0],
      labelled: [0],
      all: [0, 1, 2, 3, 4],
    });
  });
});

describe("the conversation of a leaf", () => {
  const call = (id: string, name = "bash") => ({ id, name, summary: "" });
  const talk = [
    row(-1),
    row(0, { kind: "assistant", model: "a", calls: [call("x", "ast_edit"), call("y", "ast_edit")] }),
    row(1, { kind: "tool", call: "y" }),
    row(2, { kind: "tool", call: "x" }),
    row(3, { kind: "assistant", model: "a", calls: [call("r", "resolve")] }),
    row(4, { kind: "tool", call: "r", decision: { verdict: "apply", reason: "", tool: "ast_edit" } }),
    row(5, { kind: "tool", call: "unknown" }),
    row(6, { kind: "data" }),
    row(7, { kind: "assistant", model: "b" }),
  ];

  test("results stand with their calls, those of unknown calls for themselves", () => {
    const { items, resultOf, ownerOf, turnOf, newModels } = buildConversation(talk, 8, false);
    expect(items).toEqual([0, 1, 4, 6, 8]);
    expect([...resultOf]).toEqual([
      ["y", 2],
      ["x", 3],
      ["r", 5],
    ]);
    expect(ownerOf.get(3)).toBe(1);
    expect([...turnOf]).toEqual([
      [1, 1],
      [4, 2],
      [8, 3],
    ]);
    expect([...newModels]).toEqual([1, 8]);
    expect(buildConversation(talk, 8, true).items).toContain(7);
  });

  test("turns of one answer continue it, and its last turn has the total", () => {
    const usage = [10, 5, 0, 0, 0.5] as const;
    const answer = [
      row(-1, { at: 1_000 }),
      row(0, { kind: "assistant", calls: [call("x", "read")], usage, at: 2_000 }),
      row(1, { kind: "tool", call: "x", at: 3_000 }),
      row(2, { kind: "change", at: 3_000 }),
      row(3, { kind: "assistant", usage, at: 5_000 }),
      row(4, { at: 6_000 }),
      row(5, { kind: "assistant", usage, at: 6_500 }),
    ];
    const { continuing, totalOf } = buildConversation(answer, 6, false);
    expect([...continuing]).toEqual([4]);
    expect([...totalOf]).toEqual([
      [4, { turns: 2, tokens: 30, cost: 1, ms: 4_000 }],
      [6, { turns: 1, tokens: 15, cost: 0.5, ms: 500 }],
    ]);
  });

  test("hidden entries are included if everything is requested", () => {
    const notes = [row(-1), row(0, { kind: "note", isUnseen: true }), row(1, { kind: "note" })];
    expect(buildConversation(notes, 2, false).items).toEqual([0, 2]);
    expect(buildConversation(notes, 2, true).items).toEqual([0, 1, 2]);
  });

  test("a decision belongs to the newest change of its tool", () => {
    expect([...buildConversation(talk, 8, false).decisionOf.keys()]).toEqual(["y"]);
  });

  test("an empty session has none", () => {
    expect(buildConversation([], -1, false)).toMatchObject({ items: [], path: [] });
  });
});
