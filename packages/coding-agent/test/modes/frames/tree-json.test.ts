import { expect, test } from "bun:test";
import fc from "fast-check";
import { toFrameJson } from "../../../src/modes/frames/frame-json.ts";
import { treeJson } from "../../../src/modes/frames/tree-json.ts";

interface Node {
  entry?: unknown;
  label?: string;
  children: Node[];
}

const { forest } = fc.letrec<{ node: Node; forest: Node[] }>((tie) => ({
  forest: fc.array(tie("node"), { maxLength: 4, depthIdentifier: "tree" }),
  node: fc.oneof(
    { depthIdentifier: "tree" },
    fc.record({ entry: fc.jsonValue(), children: fc.constant<Node[]>([]) }),
    fc.record({ entry: fc.jsonValue(), label: fc.string(), children: tie("forest") }),
    fc.record({ children: tie("forest") }),
  ),
}));

test("a tree has the same content as any other part of a frame", () => {
  fc.assert(
    fc.property(forest, (tree) => {
      const frame = toFrameJson({ type: "response", data: { tree: treeJson(tree), leafId: null } });
      expect(JSON.parse(frame)).toEqual(JSON.parse(JSON.stringify({ type: "response", data: { tree, leafId: null } })));
    }),
  );
});

test("what would end a line for some readers is escaped in it too", () => {
  expect(toFrameJson({ tree: treeJson([{ entry: "\u2028", children: [] } as Node]) })).toBe(
    '{"tree":[{"entry":"\\u2028","children":[]}]}',
  );
});

test("a tree of a hundred thousand levels is written whole", () => {
  let tree: Node = { children: [] };
  for (let depth = 0; depth < 100_000; depth += 1) tree = { children: [tree] };
  const text = toFrameJson({ type: "response", data: { tree: treeJson([tree]) } });
  expect(text.match(/children/g)?.length).toBe(100_001);
  expect(text.endsWith("]}]}]}}")).toBe(true);
});
