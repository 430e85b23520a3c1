import { expect, test } from "bun:test";
import { withSession } from "../../src/process/session-args.ts";

test.each([
  [[], []],
  [
    ["--no-title", "--tools", "a,b"],
    ["--no-title", "--tools", "a,b"],
  ],
  [["--continue", "--no-title"], ["--no-title"]],
  [["-c", "--no-title"], ["--no-title"]],
  [["--session", "x", "--no-title"], ["--no-title"]],
  [["--session=x", "--no-title"], ["--no-title"]],
  [
    ["--session-dir", "d", "--session-id", "x"],
    ["--session-dir", "d"],
  ],
  [["--resume", "--no-title"], ["--no-title"]],
  [["-r", "x", "--no-title"], ["--no-title"]],
  [["--no-title", "--fork", "x"], ["--no-title"]],
])("%p", (args, others) => {
  expect(withSession(args, "/s.jsonl")).toEqual([...others, "--session", "/s.jsonl"]);
});
