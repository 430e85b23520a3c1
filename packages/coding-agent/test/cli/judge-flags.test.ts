import { describe, expect, test } from "bun:test";
import { parseArguments, wordsBeside } from "../../src/cli/args.ts";
import { FLAGS } from "../../src/cli/flags.ts";
import { judgeFlags, takesWord } from "../../src/cli/judge-flags.ts";
import { UsageError } from "../../src/cli/usage-error.ts";

interface Surroundings {
  types?: Record<string, "boolean" | "string">;
  hasFaults?: boolean;
  isWithheld?: boolean;
  isRpc?: boolean;
}

function judge(line: string, { types = {}, hasFaults = false, isWithheld = false, isRpc = false }: Surroundings = {}) {
  const said: { warned: string[]; verbose: string[] } = { warned: [], verbose: [] };
  judgeFlags(
    parseArguments(line.split(" "), FLAGS).unknown,
    { types: new Map(Object.entries(types)), hasFaults, isWithheld },
    { isRpc, warn: (text) => said.warned.push(text), verbose: (text) => said.verbose.push(text) },
  );
  return said;
}

describe("an option that the table does not have", () => {
  test.each([
    ["--modle m", "unknown option --modle (did you mean --model?)"],
    ["--aprove", "unknown option --aprove (did you mean --approve?)"],
    ["--qqqqqqqqqqqqq=1", "unknown option --qqqqqqqqqqqqq"],
  ])("%s is a mistake, in every mode", (line, message) => {
    for (const isRpc of [false, true]) expect(() => judge(line, { isRpc })).toThrow(new UsageError(message));
  });

  test("may resemble an extension's option", () => {
    expect(() => judge("--planing", { types: { planning: "boolean" } })).toThrow("did you mean --planning?");
  });

  test("belongs to an extension that has registered it", () => {
    const types = { plan: "boolean", "max-time": "string", own: "string" } as const;
    expect(judge("--plan --max-time 5 --own x", { types })).toEqual({ warned: [], verbose: [] });
  });

  test.each(["--from-codex", "--from-claude"])("%s is refused", (line) => {
    for (const isRpc of [false, true]) expect(() => judge(line, { isRpc })).toThrow(/^--[a-z-]+ is not available: /);
  });

  test("of another program is accepted, and mentioned only in verbose output", () => {
    expect(judge("--profile work --hide-thinking --yolo --service-tier flex")).toEqual({
      warned: [],
      verbose: ["profile", "hide-thinking", "yolo", "service-tier"].map((name) => `--${name} has no effect here`),
    });
  });

  test("is not a mistake while an extension that may register it is missing", () => {
    const warned = ["unknown option --zzzzzzzz; it is ignored until an extension registers it"];
    expect(judge("--zzzzzzzz", { hasFaults: true }).warned).toEqual(warned);
    expect(judge("--zzzzzzzz", { isWithheld: true, isRpc: true }).warned).toEqual(warned);
    expect(() => judge("--zzzzzzzz", { isWithheld: true })).toThrow("--trust loads them this time");
  });
});

test.each([
  ["--plan opus go", {}, ["go"]],
  ["--plan opus go", { plan: "boolean" }, ["opus", "go"]],
  ["--plan go", { plan: "string" }, []],
  ["--hide-thinking go", {}, ["go"]],
  ["--unheard go", {}, ["go"]],
] as const)("the words of %s with %j are %j", (line, types, words) => {
  const known = new Map(Object.entries(types)) as Map<string, "boolean" | "string">;
  expect(wordsBeside(parseArguments(line.split(" "), FLAGS), (flag) => takesWord(flag, known))).toEqual([...words]);
});
