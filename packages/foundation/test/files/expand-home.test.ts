import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { expandHome } from "../../src/files/expand-home.ts";

test("only ~ and what begins with ~/ is meant", () => {
  const written = ["~", "~/a/b", "~other/a", "a/~/b", "/a", "~~", ""];
  const expanded = written.map((path) => expandHome(path, "/home/me"));
  expect(expanded).toEqual(["/home/me", "/home/me/a/b", "~other/a", "a/~/b", "/a", "~~", ""]);
});

test("without a home it is the user's", () => {
  expect(expandHome("~/a")).toBe(`${homedir()}/a`);
});
