import { expect, test } from "bun:test";
import { examplePrompts } from "../../src/live/start/example-prompts.ts";
import { isLoopbackPage } from "../../src/live/start/key-form.ts";

test("there are three examples, which the offline model understands if there is no other", () => {
  expect(examplePrompts({ hasGit: true, isOffline: false })).toContain("Review my uncommitted changes.");
  expect(examplePrompts({ hasGit: false, isOffline: false })).not.toContain("Review my uncommitted changes.");
  expect(examplePrompts({ hasGit: true, isOffline: true })).toEqual(["help", "read README.md", "list files"]);
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["[::1]", true],
  ["127.0.0.1.example.org", false],
  ["localhost.example.org", false],
  ["10.0.0.1", false],
])("a page of %s is of this machine: %p", (hostname, isHere) => expect(isLoopbackPage({ hostname })).toBe(isHere));
