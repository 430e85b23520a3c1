import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fillArguments } from "../../../src/mcp/prompts/prompt-commands.ts";
import { promptHint, readPrompt, type ServerPrompt } from "../../../src/mcp/prompts/server-prompt.ts";

const promptWith = (...names: string[]): ServerPrompt => ({
  name: "p",
  word: "p",
  description: "",
  arguments: names.map((name) => ({ name: name.replace("?", ""), isRequired: !name.endsWith("?") })),
});

describe("arguments of a prompt", () => {
  test.each([
    ["a.ts", { path: "a.ts" }, []],
    ["a.ts speed", { path: "a.ts", focus: "speed" }, []],
    ["a.ts speed and size", { path: "a.ts", focus: "speed and size" }, []],
    ['"a b.ts"', { path: "a b.ts" }, []],
    ["focus=speed a.ts", { path: "a.ts", focus: "speed" }, []],
    ['focus="speed and size" path=a.ts', { path: "a.ts", focus: "speed and size" }, []],
    ["other=1", { path: "other=1" }, []],
    ["focus=speed", { focus: "speed" }, ["path"]],
    ["", {}, ["path"]],
  ])("%p", (typed, values, missing) => {
    expect(fillArguments(promptWith("path", "focus?"), typed)).toEqual({ values, missing });
  });

  test("accepts only known names and reports missing required ones, whatever the user types", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}\??$/), {
      maxLength: 4,
      selector: (n) => n.replace("?", ""),
    });
    fc.assert(
      fc.property(names, fc.string(), (list, typed) => {
        const prompt = promptWith(...list);
        const { values, missing } = fillArguments(prompt, typed);
        const known = prompt.arguments.map(({ name }) => name);
        expect(Object.keys(values).every((name) => known.includes(name))).toBe(true);
        const needed = prompt.arguments.filter(({ isRequired }) => isRequired).map(({ name }) => name);
        expect(needed.filter((name) => !Object.hasOwn(values, name))).toEqual(missing);
      }),
    );
  });
});

test("reads a server's list as far as its prompts can be called", () => {
  expect(
    readPrompt({ name: "find\u0007 it", title: "Find", arguments: [{ name: "a", required: true }, 3, { name: "b" }] }),
  ).toEqual({
    name: "find\u0007 it",
    word: "find_it",
    description: "Find",
    arguments: [
      { name: "a", isRequired: true },
      { name: "b", isRequired: false },
    ],
  });
  expect([undefined, {}, { name: "\u0000" }, { name: "x".repeat(300) }].map(readPrompt)).toEqual(
    Array(4).fill(undefined),
  );
  expect(promptHint(promptWith("path", "focus?"))).toBe("<path> [focus]");
});
