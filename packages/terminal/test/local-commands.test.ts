import { describe, expect, test } from "bun:test";
import { lastCodeBlock } from "../src/features/copying.ts";
import { LocalCommands } from "../src/local-commands.ts";

function commands(ofSession?: { name: string; aliases?: string[] }[]): LocalCommands {
  const all = new LocalCommands();
  for (const name of ["cost", "model", "settings"]) all.add({ name, description: "", run: () => undefined });
  all.useSessionCommands(ofSession);
  return all;
}

describe("what a line means", () => {
  const known = commands([{ name: "skill:deploy", aliases: ["deploy"] }]);

  test.each([
    ["/cost", { kind: "local", name: "cost", rest: "" }],
    ["/model  opus ", { kind: "local", name: "model", rest: "opus" }],
    ["/skill:deploy now", { kind: "message", text: "/skill:deploy now" }],
    ["/deploy", { kind: "message", text: "/deploy" }],
    ["/cots", { kind: "unknown", name: "cots", nearest: "cost" }],
    ["/setting", { kind: "unknown", name: "setting", nearest: "settings" }],
    ["/nonsense", { kind: "unknown", name: "nonsense", nearest: undefined }],
    [" /cost", { kind: "message", text: " /cost" }],
    ["//cost", { kind: "message", text: " /cost" }],
    ["/etc/hosts is wrong", { kind: "message", text: "/etc/hosts is wrong" }],
    ["say /cost", { kind: "message", text: "say /cost" }],
  ] as const)("%s", (text, meaning) => {
    expect(known.meaningOf(text)).toEqual(meaning);
  });

  test("before the session has listed its commands, an unknown name may be one of them", () => {
    expect(commands().meaningOf("/deploy")).toEqual({ kind: "undecided" });
  });
});

describe("the last code block", () => {
  test.each([
    ["a\n```js\none\n```\nb\n~~~\ntwo\n```\n~~~", "two\n```"],
    ["```\nopen\nend", "open\nend"],
    ["````\n```\n````", "```"],
    ["no code", undefined],
  ])("%j", (text, code) => {
    expect(lastCodeBlock(text)).toBe(code);
  });
});
