import { describe, expect, test } from "bun:test";
import { parseAgent } from "../../src/agents/parse-agent.ts";

const parse = (head: string, body = "Do it.") =>
  parseAgent({ path: "/a.md", text: `---\n${head}\n---\n${body}\n`, source: "user" });
const parseFields = (more: string) => parse(`name: a\ndescription: d\n${more}`);

test("a definition of Claude Code becomes an agent with pintle's names", () => {
  const head = [
    "name: code-reviewer",
    "description: Reviews code. Use after changes.",
    "tools: Read, Grep, Glob, LS, MultiEdit, WebFetch, mcp__git__log",
    "disallowedTools: [Bash, Write]",
    "model: sonnet",
    "color: purple",
    "permissionMode: acceptEdits",
    "isolation: worktree",
    "maxTurns: 20",
  ];
  expect(parse(head.join("\n"), "You review.\n\nBe brief.")).toEqual({
    name: "code-reviewer",
    description: "Reviews code. Use after changes.",
    source: "user",
    filePath: "/a.md",
    prompt: "You review.\n\nBe brief.",
    tools: [
      "Read",
      "read",
      "Grep",
      "grep",
      "Glob",
      "find",
      "LS",
      "ls",
      "edit",
      "WebFetch",
      "webfetch",
      "mcp__git__log",
    ],
    disallowedTools: ["Bash", "bash", "Write", "write"],
    model: ["sonnet"],
    permissionMode: "workspace",
    isolation: "worktree",
    maxTurns: 20,
  });
});

test("a definition of oh-my-pi becomes an agent", () => {
  const head = [
    "name: oracle",
    "description: Thinks",
    "tools:\n  - read\n  - grep",
    "spawns: scout, task",
    'model: ["pi/slow", "anthropic/claude-opus"]',
    "thinkingLevel: high",
    "output:\n  type: object\n  properties:\n    verdict: { type: string }",
  ];
  expect(parse(head.join("\n"))).toEqual({
    name: "oracle",
    description: "Thinks",
    source: "user",
    filePath: "/a.md",
    prompt: "Do it.",
    tools: ["read", "grep"],
    spawns: ["scout", "task"],
    model: ["pi/slow", "anthropic/claude-opus"],
    thinkingLevel: "high",
    output: { type: "object", properties: { verdict: { type: "string" } } },
  });
});

test.each([
  ["tools: '*'", { tools: undefined }],
  ["tools:", { tools: [] }],
  ["tools: []", { tools: [] }],
  ["model: inherit", { model: undefined }],
  ["model: [inherit, haiku]", { model: ["haiku"] }],
  ["spawns: '*'", { spawns: "*" }],
  ["spawns: scout, *", { spawns: "*" }],
  ["thinking: low", { thinkingLevel: "low" }],
  ["thinkingLevel: auto", { thinkingLevel: undefined }],
  ["isolation: none", { isolation: undefined }],
  ["isolation: fuse-overlay", { isolation: "worktree" }],
  ["permissionMode: default", { permissionMode: undefined }],
  ["permissionMode: dontAsk", { permissionMode: "ask" }],
  ['output: \'{"type":"object"}\'', { output: { type: "object" } }],
  ["hooks: { anything: [1] }", {}],
])("reads %s", (line, fields) => {
  expect(parseFields(line)).toMatchObject(fields);
});

describe("a field that cannot be understood makes the file unusable, so that no agent gets more than its author meant", () => {
  test.each([
    ["tools: 3", "tools must be a list of names, or names with commas between them"],
    ["tools: [read, {a: b}]", "tools must be a list of names, or names with commas between them"],
    ["tools: Bash(git *), Read", "tools must have names of tools only, not patterns such as Bash(git *)"],
    ["disallowedTools: Bash(rm *)", "disallowedTools must have names of tools only, not patterns such as Bash(rm *)"],
    ["spawns: true", "spawns must be a list of names, or names with commas between them"],
    ["maxTurns: 0", "maxTurns must be a positive whole number"],
    ["maxTurns: many", "maxTurns must be a positive whole number"],
    ["isolation: wroktree", "isolation must be one of none, worktree, fuse-overlay, fuse-projfs"],
    ["isolation: true", "isolation must be one of none, worktree, fuse-overlay, fuse-projfs"],
    ["isolation: constructor", "isolation must be one of none, worktree, fuse-overlay, fuse-projfs"],
    ["output: text", "output must be a JSON Schema"],
    ["output: [1]", "output must be a JSON Schema"],
  ])("%s", (line, problem) => {
    expect(parseFields(line)).toEqual({ problem });
  });

  test("permissionMode: plann", () => {
    expect(parseFields("permissionMode: plann")).toMatchObject({
      problem: expect.stringMatching(/^permissionMode must be one of plan, ask, workspace, full, /),
    });
  });

  test.each([
    ["description: d", "an agent needs a name"],
    ["name: 3\ndescription: d", "an agent needs a name"],
    ["name: a", "an agent needs a description"],
    ["name: a\ndescription: '  '", "an agent needs a description"],
    ["name: <a>\ndescription: d", "name must have 1 to 64 letters, digits, spaces, _ . : or -"],
    [`name: ${"a".repeat(65)}\ndescription: d`, "name must have 1 to 64 letters, digits, spaces, _ . : or -"],
  ])("%j", (head, problem) => {
    expect(parse(head)).toEqual({ problem });
  });

  test("no front matter, or YAML with an error", () => {
    expect(parseAgent({ path: "/a.md", text: "Only text", source: "user" })).toEqual({
      problem: "an agent needs a name",
    });
    expect(parse('name: "a\ndescription: d')).toMatchObject({
      problem: expect.stringMatching(/^the front matter is not valid YAML \(/),
    });
  });
});
