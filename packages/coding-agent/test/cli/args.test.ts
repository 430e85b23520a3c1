import { describe, expect, test } from "bun:test";
import { wordsBeside } from "../../src/cli/args.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { usageText } from "../../src/commands/help.ts";
import { parseProgramArguments as parseArguments } from "../../src/commands/program-arguments.ts";

describe("parseArguments", () => {
  test("takes values behind a space or an equals sign", () => {
    expect(parseArguments(["--mode", "rpc", "--model=a/b", "--thinking=", "-p", "hello", "you"])).toEqual({
      flags: { mode: "rpc", model: "a/b", thinking: "", print: true },
      words: ["hello", "you"],
      unknown: new Map(),
      following: [],
    });
  });

  test("a double dash ends the flags", () => {
    expect(parseArguments(["-p", "--", "--model", "-x", "--"]).words).toEqual(["--model", "-x", "--"]);
  });

  test("a flag that may be repeated keeps all its values in order", () => {
    const { flags } = parseArguments(["--append-system-prompt", "a", "--append-system-prompt=b=c"]);
    expect(flags["append-system-prompt"]).toEqual(["a", "b=c"]);
  });

  test("an optional value is not taken from the next flag", () => {
    expect(parseArguments(["--list-models", "--verbose"]).flags).toEqual({ "list-models": true, verbose: true });
    expect(parseArguments(["--list-models", "claude"]).flags).toEqual({ "list-models": "claude" });
  });

  test("an unknown long flag is kept, because hosts and extensions add their own", () => {
    expect(parseArguments(["--surprise", "--mode", "rpc", "--colour=b"])).toEqual({
      flags: { mode: "rpc" },
      words: [],
      unknown: new Map<string, string | true>([
        ["surprise", true],
        ["colour", "b"],
      ]),
      following: [],
    });
  });

  test("a word behind an unknown flag stays a word until somebody says that the flag takes one", () => {
    const args = parseArguments([
      "--level",
      "high",
      "go",
      "--fast",
      "on",
      "--level=low",
      "--level",
      "mid",
      "-",
      "--x",
      "--",
      "y",
    ]);
    expect(args.words).toEqual(["high", "go", "on", "mid", "-", "y"]);
    expect(args.unknown).toEqual(
      new Map<string, true | { next: string }>([
        ["level", { next: "mid" }],
        ["fast", { next: "on" }],
        ["x", true],
      ]),
    );
    expect(wordsBeside(args, (flag) => flag === "level")).toEqual(["go", "on", "-", "y"]);
    expect(wordsBeside(args, () => true)).toEqual(["go", "-", "y"]);
    expect(wordsBeside(args, () => false)).toEqual(args.words);
  });

  test.each([
    [["-x"], "unknown option -x"],
    [["--model"], "--model needs a value <pattern>"],
    [["--print=yes"], "--print takes no value"],
  ])("%j is a usage error", (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(new UsageError(message));
  });

  test("everything the Python client passes is known", () => {
    const argv =
      "--mode rpc --provider p --model m --session-dir d --thinking off --append-system-prompt t --provider-session-id i --tools a,b --no-session --no-skills --no-rules --no-title";
    expect(parseArguments(argv.split(" "))).toMatchObject({ words: [], unknown: new Map() });
  });

  test("a lone dash is a word", () => {
    expect(parseArguments(["-"]).words).toEqual(["-"]);
  });
});

test("the usage text names every flag and both rpc modes", () => {
  const text = usageText();
  expect(text).toContain("--mode rpc ");
  expect(text).toContain("rpc-ui");
  expect(text).toContain("-p, --print");
});
