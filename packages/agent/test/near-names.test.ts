import { expect, test } from "bun:test";
import { isSlipOf, nearNames } from "../src/near-names.ts";

const names = ["read", "write", "edit", "bash", "grep", "find", "ls", "ast_grep", "ast_edit", "todo_write"];

test.each([
  ["raed", ["read"]],
  ["Read", ["read"]],
  ["read_file", ["read"]],
  ["ast-grep", ["ast_grep", "grep"]],
  ["todo", ["todo_write"]],
  ["edit", ["edit", "ast_edit"]],
  ["frobnicate", []],
])("%s → %p", (wanted, near) => {
  expect(nearNames(wanted, names).slice(0, near.length || 3)).toEqual(near);
});

test("at most three, the nearest first", () => {
  expect(nearNames("aaaa", ["aaab", "aabb", "aaaa1", "aaac", "aaaa"])).toEqual(["aaaa", "aaab", "aaac"]);
});

test("swapped letters are nearer than a missing letter", () => {
  expect(nearNames("modle", ["mode", "model"])[0]).toBe("model");
});

test("no names, no hint", () => {
  expect(nearNames("read", [])).toEqual([]);
});

test.each([
  ["session", "sessions", true],
  ["modles", "models", true],
  ["Halp", "help", true],
  ["help", "help", false],
  ["hey", "help", false],
])("%s is a typo of %s: %p", (word, name, isSlip) => {
  expect(isSlipOf(word, name)).toBe(isSlip);
});
