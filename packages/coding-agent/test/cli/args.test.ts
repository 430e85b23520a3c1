import { describe, expect, test } from "bun:test";
import { wordsBeside } from "../../src/cli/args.ts";
import { FLAGS } from "../../src/cli/flags.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { usageText } from "../../src/commands/help.ts";
import { parseProgramArguments as parseArguments } from "../../src/commands/program-arguments.ts";

describe("parseArguments", () => {
  test("accepts values after a space or an equals sign", () => {
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

  test("a repeatable flag keeps all its values in order", () => {
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

  test("a word after an unknown flag stays a word until the flag is known to take a value", () => {
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
    [["-model", "m"], "unknown option -model (did you mean --model?)"],
    [["--model"], "--model needs a value <pattern>"],
    [["--print=yes"], "--print takes no value"],
  ])("%j is a usage error", (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(new UsageError(message));
  });

  test.each([
    ["-n work -a -xt bash", { name: "work", trust: true, "exclude-tools": "bash" }],
    ["-na --trusted-extension x", { "no-trust": true, extension: ["x"] }],
    ["--message a --message=b", { message: ["a", "b"] }],
  ])("%s", (line, flags) => {
    expect(parseArguments(line.split(" "))).toMatchObject({ flags, words: [], unknown: new Map() });
  });

  test("a lone dash is a word", () => {
    expect(parseArguments(["-"]).words).toEqual(["-"]);
  });
});

describe("the usage text", () => {
  test("names every flag, both rpc modes, and what is accepted", () => {
    const text = usageText();
    for (const name of Object.keys(FLAGS)) expect(text).toContain(`--${name} `);
    expect(text).toContain("--mode rpc ");
    expect(text).toContain("rpc-ui");
    expect(text).toContain("-p, --print");
    expect(text).toContain("--hide-thinking");
    expect(text).not.toContain("--from-codex");
  });

  test("has a heading for every group, each once", () => {
    const lines = usageText().split("\n");
    const groups = [...new Set(Object.values(FLAGS).map(({ group }) => group))];
    for (const group of groups) expect(lines.filter((line) => line === group)).toEqual([group]);
  });
});
