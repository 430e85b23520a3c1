import { expect, test } from "bun:test";
import { ageText, sessionTable } from "../../src/cli/session-table.ts";

test("the table has aligned columns, the directory from home, and nothing that acts on a terminal", () => {
  const rows = [
    { id: "01a\u001be77", name: "日本\u001b[2J", modifiedAt: 0, messageCount: 12, cwd: "/home/me/src" },
    {
      id: "01a1e775-4",
      firstMessage: `one\n\n two ${"x".repeat(60)}`,
      modifiedAt: 0,
      messageCount: 1,
      cwd: "/home/meta",
    },
  ];
  expect(sessionTable(rows, { now: 3_600_000, home: "/home/me" }).split("\n")).toEqual([
    "id          age  messages  name or first message                             directory",
    "01a?e77     1 h  12        日本?[2J                                          ~/src",
    `01a1e775-4  1 h  1         one two ${"x".repeat(39)}…  /home/meta`,
    "",
  ]);
});

test.each([
  [-5, "now"],
  [59_999, "now"],
  [60_000, "1 min"],
  [7_200_000, "2 h"],
  [86_400_000 * 40, "40 d"],
])("%d ms", (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
