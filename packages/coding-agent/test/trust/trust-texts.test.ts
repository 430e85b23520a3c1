import { describe, expect, test } from "bun:test";
import { questionText, readAnswer, withheldText } from "../../src/trust/trust-texts.ts";

test("the notice counts, and says what to do", () => {
  expect(withheldText(1)).toBe(
    "1 item of this project was withheld: code of a project is not run without consent. Start with --trust to allow it this time.",
  );
  expect(withheldText(2, "a.ts leads out of the project")).toBe(
    "2 items of this project were withheld: code of a project is not run without consent. It cannot be given for a content, because a.ts leads out of the project; --trust allows it this time.",
  );
});

test("the question names every item and where it is", () => {
  const items = [
    { kind: "setting" as const, name: "shellPath", path: "/p/.pintle/settings.json", digest: "" },
    { kind: "mcp_server" as const, name: "db", path: "/p/.mcp.json", digest: "" },
  ];
  expect(questionText({ project: "/p\u001b[2J", digest: "", items, timeoutMs: 1 }).split("\n").slice(0, -1)).toEqual([
    "This project has parts that can run programs with your rights: /p?[2J",
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
