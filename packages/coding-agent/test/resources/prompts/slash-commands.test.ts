import { describe, expect, test } from "bun:test";
import {
  parseSlash,
  skillCommand,
  templateCommand,
  toAvailableCommand,
  toPiCommand,
} from "../../../src/resources/prompts/slash-commands.ts";

const skill = skillCommand({
  name: "pdf",
  description: "Makes PDFs",
  path: "/s/SKILL.md",
  baseDir: "/s",
  isManual: false,
  source: { scope: "user", origin: "auto" },
});
const template = templateCommand({
  name: "fix",
  description: "Fixes",
  hint: "<file>",
  text: "",
  path: "/p/fix.md",
  source: { scope: "project", origin: "auto" },
});
const named = templateCommand({
  name: "tmp",
  description: "",
  text: "",
  path: "/x/tmp.md",
  source: { scope: "temporary", origin: "named" },
});

test("as newer hosts read them", () => {
  expect(
    [skill, template, named, { name: "gate", aliases: ["g"], source: "extension" as const }].map(toAvailableCommand),
  ).toEqual([
    { name: "skill:pdf", description: "Makes PDFs", source: "skill" },
    { name: "fix", description: "Fixes", input: { hint: "<file>" }, source: "file" },
    { name: "tmp", source: "file" },
    { name: "gate", aliases: ["g"], source: "extension" },
  ]);
});

test("as clients of pi read them", () => {
  const info = (path: string, source: string, scope: string) => ({ path, source, scope, origin: "top-level" });
  expect([skill, template, named].map(toPiCommand)).toEqual([
    {
      name: "skill:pdf",
      description: "Makes PDFs",
      source: "skill",
      sourceInfo: info("/s/SKILL.md", "auto", "user"),
      location: "user",
      path: "/s/SKILL.md",
    },
    {
      name: "fix",
      description: "Fixes",
      source: "prompt",
      sourceInfo: info("/p/fix.md", "auto", "project"),
      location: "project",
      path: "/p/fix.md",
    },
    {
      name: "tmp",
      source: "prompt",
      sourceInfo: info("/x/tmp.md", "cli", "temporary"),
      location: "path",
      path: "/x/tmp.md",
    },
  ] as never);
});

test("clients of pi do not list built-in commands; unknown kinds are prompts", () => {
  const sources = ["builtin", "extension", "custom", "mcp_prompt"] as const;
  expect(sources.map((source) => toPiCommand({ name: "x", source })?.source)).toEqual([
    undefined,
    "extension",
    "prompt",
    "prompt",
  ]);
});

describe("parseSlash", () => {
  test.each([
    ["/a", { name: "a", args: "" }],
    ["/a  b c ", { name: "a", args: " b c " }],
    ["/skill:x y", { name: "skill:x", args: "y" }],
    ["/a\nb\nc", { name: "a", args: "b\nc" }],
    ["/", undefined],
    ["/ a", undefined],
    ["a /b", undefined],
    [" /a", undefined],
  ])("%j", (text, expected) => {
    expect(parseSlash(text)).toEqual(expected as never);
  });
});
