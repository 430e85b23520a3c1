// The check of comments, docs, messages and test names for phrases that read as if translated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareWithCeilings, countPhrases, findPhrases, lowerCeilings } from "../../scripts/prose/phrases.mjs";

const find = (file, source) => findPhrases(file, source).map(({ line, kind, phrase }) => [line, kind, phrase]);

test("finds phrases in comments, messages and test names, but not in code", () => {
  const source = [
    "// The host is told.",
    'const nobody = "nobody";',
    "/**",
    " * Sent once",
    " * more.",
    " */",
    'throw new Error("Nobody can answer this question");',
    "const pattern = /in vain/;",
  ].join("\n");
  assert.deepEqual(find("packages/ai/src/a.ts", source), [
    [1, "comments", "is told"],
    [4, "comments", "once\n   more"],
    [7, "messages", "Nobody"],
  ]);
});

test("reads test names of test files, and leaves their other strings alone", () => {
  const source = 'test("goes on with the run", () => expect("it goes on with it").toBe(1));';
  assert.deepEqual(find("packages/ai/test/a.test.ts", source), [[1, "tests", "goes on"]]);
});

test("skips fenced and inline code in Markdown", () => {
  const source = "A text that is sent anew.\n```\nin vain\n```\nThe value `anew`.";
  assert.deepEqual(find("docs/a.md", source), [
    [1, "docs", "anew"],
    [1, "docs", "A text"],
  ]);
});

test("reads comments and docstrings of Python", () => {
  const source = 'x = "in vain"  # in vain\ndef f():\n    """Sends it anew."""\n';
  assert.deepEqual(find("python/a.py", source), [
    [1, "comments", "in vain"],
    [3, "comments", "anew"],
  ]);
});

test("leaves ordinary English alone", () => {
  const source = "// Two ids cannot be told apart by length, but for now the parser counts lines and goes on the wire.";
  assert.deepEqual(find("packages/ai/src/a.ts", source), []);
});

test("fails only above a ceiling, and a group without a ceiling may have none", () => {
  const counts = countPhrases([
    { area: "docs", kind: "docs" },
    { area: "docs", kind: "docs" },
    { area: "python", kind: "comments" },
  ]);
  assert.deepEqual(compareWithCeilings({ docs: { docs: 2 }, python: { comments: 1 } }, counts), []);
  assert.deepEqual(compareWithCeilings({ docs: { docs: 1 } }, counts), [
    { area: "docs", kind: "docs", count: 2, ceiling: 1 },
    { area: "python", kind: "comments", count: 1, ceiling: 0 },
  ]);
});

test("recording lowers ceilings and never raises one", () => {
  const ceilings = { docs: { docs: 5, comments: 2 }, python: { comments: 1 } };
  const counts = { docs: { docs: 3, comments: 9 } };
  assert.deepEqual(lowerCeilings(ceilings, counts), { docs: { docs: 3, comments: 2 } });
});
