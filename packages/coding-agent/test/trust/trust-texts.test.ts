import { describe, expect, test } from "bun:test";
import { questionText, readAnswer, withheldText } from "../../src/trust/trust-texts.ts";

const item = (kind: "mcp_server" | "extension" | "setting" | "custom_tool", name: string) => ({ kind, name });
const RULE = "project code does not run without consent.";

test.each([
  [[], undefined, false, undefined],
  [
    [item("mcp_server", "db")],
    undefined,
    false,
    `1 item of this project was withheld (MCP server db): ${RULE} Start with --trust to allow it this time.`,
  ],
  [
    [item("mcp_server", "db")],
    undefined,
    true,
    `1 item of this project was withheld (MCP server db): ${RULE} Start with --trust in its own directory to allow it this time.`,
  ],
  [
    [item("extension", "a.ts"), item("setting", "shellPath")],
    "a.ts links outside the project",
    false,
    `2 items of this project were withheld (extension a.ts, setting shellPath): ${RULE} It cannot be given for this content, because a.ts links outside the project; --trust allows it this time.`,
  ],
])("the notice counts, names, and says what to do: %#", (withheld, obstacle, isBeyondFlag, text) => {
  expect(withheldText({ withheld, obstacle, isBeyondFlag })).toBe(text);
});

test("a long list of what was withheld is cut, and says by how much", () => {
  const withheld = Array.from({ length: 11 }, (_, n) => item("custom_tool", `t${n}`));
  const text = withheldText({ withheld, isBeyondFlag: false });
  expect(text).toStartWith("11 items of this project were withheld (custom tool t0, custom tool t1");
  expect(text).toContain("custom tool t7, 3 more): project code");
});

test("the question names every item and where it is", () => {
  const items = [
    { kind: "setting" as const, name: "shellPath", path: "/p/.pintle/settings.json", digest: "" },
    { kind: "mcp_server" as const, name: "db", path: "/p/.mcp.json", digest: "" },
  ];
  expect(questionText({ project: "/p\u001b[2J", digest: "", items, timeoutMs: 1 }).split("\n").slice(0, -1)).toEqual([
    "This project contains code that can run programs with your permissions: /p?[2J",
    "  setting     shellPath  (/p/.pintle/settings.json)",
    "  mcp_server  db  (/p/.mcp.json)",
  ]);
});

describe("an answer", () => {
  test.each([
    ["y", true, false],
    [" YES \r\n", true, false],
    ["always", true, true],
    ["a", true, true],
    ["", false, false],
    [undefined, false, false],
    ["n", false, false],
    ["yesno", false, false],
    ["y\u0000", false, false],
  ])("%p", (line, isTrusted, isRemembered) => {
    expect(readAnswer(line as string | undefined)).toEqual({ isTrusted, isRemembered });
  });
});
