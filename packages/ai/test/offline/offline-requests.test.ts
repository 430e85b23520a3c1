import { describe, expect, test } from "bun:test";
import { type Intent, parseRequests } from "../../src/offline/offline-requests.ts";

const intents = (text: string) => parseRequests(text).map(({ intent }) => intent);

describe("one request", () => {
  test.each<[string, Intent]>([
    ["list", { kind: "list" }],
    ["LIST src", { kind: "list", path: "src" }],
    ["list files", { kind: "list" }],
    ["list the files in `my dir`", { kind: "list", path: "my dir" }],
    ["What files are here?", { kind: "list" }],
    ["what files are in src", { kind: "list", path: "src" }],
    ["read README.md", { kind: "read", path: "README.md" }],
    ["please show 'a b.txt'", { kind: "read", path: "a b.txt" }],
    ["search hello world", { kind: "search", text: "hello world" }],
    ["search `a in b` in src", { kind: "search", text: "a in b", path: "src" }],
    ["find for TODO in packages/ai", { kind: "search", text: "TODO", path: "packages/ai" }],
    ["run echo hi", { kind: "run", command: "echo hi" }],
    ["run `ls -la`", { kind: "run", command: "ls -la" }],
    ["$ git status", { kind: "run", command: "git status" }],
    ["run if true; then echo yes; fi", { kind: "run", command: "if true; then echo yes; fi" }],
    ["write a.txt: hello", { kind: "write", path: "a.txt", content: "hello" }],
    ['write `a.txt`: "two words"', { kind: "write", path: "a.txt", content: "two words" }],
    [
      "write src/a.ts\n```ts\nconst a = 1;\n\nread b\n```",
      { kind: "write", path: "src/a.ts", content: "const a = 1;\n\nread b\n" },
    ],
    ["write a.txt:\n~~~~\n```\n~~~~", { kind: "write", path: "a.txt", content: "```\n" }],
    ["rename foo to bar", { kind: "rename", from: "foo", to: "bar", previewOnly: false }],
    [
      "rename `foo` to `bar` in src/a.ts",
      { kind: "rename", from: "foo", to: "bar", path: "src/a.ts", previewOnly: false },
    ],
    ["rename foo to bar, preview only", { kind: "rename", from: "foo", to: "bar", previewOnly: true }],
    [
      "rename foo to bar in src (preview only)",
      { kind: "rename", from: "foo", to: "bar", path: "src", previewOnly: true },
    ],
    ["plan: read a; ; list", { kind: "plan", items: ["read a", "list"] }],
    ["call deploy", { kind: "call", tool: "deploy" }],
    ['Call my_tool {"a": [1]}', { kind: "call", tool: "my_tool", json: '{"a": [1]}' }],
    ['call my.tool\n```json\n{"a": 1}\n```', { kind: "call", tool: "my.tool", json: '{"a": 1}' }],
    ["call me later", { kind: "unknown" }],
    ["help", { kind: "help" }],
    ["Help me", { kind: "help" }],
    ["plan: ;", { kind: "unknown" }],
    ["why is the sky blue?", { kind: "unknown" }],
    ["read", { kind: "unknown" }],
    ["listen to me", { kind: "unknown" }],
    ["renamed foo to bar", { kind: "unknown" }],
  ])("%j is understood", (text, intent) => {
    expect(intents(text)).toEqual([intent]);
  });
});

describe("several requests", () => {
  test("may be on separate lines", () => {
    expect(intents("list src\n\n  read a.txt  \r\n$ pwd\n")).toEqual([
      { kind: "list", path: "src" },
      { kind: "read", path: "a.txt" },
      { kind: "run", command: "pwd" },
    ]);
  });
  test("may be joined by then", () => {
    expect(intents("list src, then read a.txt THEN run pwd; then help")).toEqual([
      { kind: "list", path: "src" },
      { kind: "read", path: "a.txt" },
      { kind: "run", command: "pwd" },
      { kind: "help" },
    ]);
  });
  test("are not split inside quotation marks", () => {
    expect(intents('call say {"text": "a then read b"} then read `c then list` then list')).toEqual([
      { kind: "call", tool: "say", json: '{"text": "a then read b"}' },
      { kind: "read", path: "c then list" },
      { kind: "list" },
    ]);
  });
  test("keep a fenced block with its line", () => {
    expect(intents("write a\n```\nx then read y\n```\nread a")).toEqual([
      { kind: "write", path: "a", content: "x then read y\n" },
      { kind: "read", path: "a" },
    ]);
  });
  test("are absent from an empty string", () => {
    expect(intents(" \n ")).toEqual([]);
  });
});
