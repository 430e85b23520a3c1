import { describe, expect, test } from "bun:test";
import { findFamilyCommand } from "../../../src/commands/family/find-family-command.ts";

const find = (line: string) => {
  const [program, ...argv] = line.split(" ");
  return findFamilyCommand(argv, program);
};

describe("subcommands", () => {
  test.each([
    ["pi install npm:x", "install", ["npm:x"]],
    ["pi mcp list --json", "mcp", ["list", "--json"]],
    ["omp wt list", "wt", ["list"]],
    ["omp list", "list", []],
    ["omp marketplace add x", "marketplace", ["add", "x"]],
    ["omp enable a@b", "enable", ["a@b"]],
    ["omp upgrade", "upgrade", []],
  ])("%s", (line, name, argv) => expect(find(line)).toEqual({ name, argv }));

  test.each([
    ["omp --approval-mode=yolo update", "update", []],
    ["omp --model x/y -c stats --json", "stats", ["--json"]],
    ["omp --profile update q", "q", []],
    ["omp --no-lsp config path", "config", ["path"]],
  ])("of oh-my-pi after its options, which it does not take: %s", (line, name, argv) =>
    expect(find(line)).toEqual({ name, argv }),
  );

  test.each([
    ["omp --approval-mode yolo acp", "acp", ["--approval-mode", "yolo"]],
    ["omp -c launch --mode rpc", "launch", ["-c", "--mode", "rpc"]],
  ])("that start a session keep the options: %s", (line, name, argv) => expect(find(line)).toEqual({ name, argv }));
});

describe("messages", () => {
  test.each([
    "pi explain this",
    "pi --offline list",
    "pi -- install",
    "omp upgrade the deps",
    "omp -p -- commit",
    "omp --model commit",
    "omp --no-lsp list",
    "omp",
    "seed install x",
    "constructor install x",
  ])("%s", (line) => expect(find(line)).toBeUndefined());

  test("without a program of the family", () => expect(findFamilyCommand(["install"], undefined)).toBeUndefined());
});
