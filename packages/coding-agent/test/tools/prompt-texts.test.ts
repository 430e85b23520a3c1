import { describe, expect, test } from "bun:test";
import { buildSystemPrompt } from "../../src/resources/system-prompt/system-prompt.ts";
import { readToolTexts } from "../../src/resources/system-prompt/tool-texts.ts";
import { askTool } from "../../src/tools/ask.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { resolveTool } from "../../src/tools/resolve.ts";

/** Only declared: nothing here is called, so nothing needs a session. */
const tools = createBuiltinTools({ settings: { get: () => true } } as never).map(({ tool }) => tool);
const prompt = (names: readonly string[]) =>
  buildSystemPrompt({ tools: tools.filter(({ name }) => names.includes(name)), cwd: "/" }, "2026-02-03");

describe("built-in tools in the system prompt", () => {
  test("each has one short line, and the list is theirs", () => {
    const lines = tools.map(({ name, promptSnippet = "" }) => `- ${name}: ${promptSnippet}`);
    expect(lines.filter((line) => line.length > 90 || /: $/.test(line))).toEqual([]);
    expect(prompt(tools.map(({ name }) => name))).toContain(`\n\nTools:\n${lines.join("\n")}\n\nGuidelines:\n`);
  });

  test("what they say is one line each and said once", () => {
    const guidelines = tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines);
    expect(new Set(guidelines).size).toBe(guidelines.length);
    for (const tool of tools) {
      const { promptSnippet, promptGuidelines } = tool;
      expect(readToolTexts(tool)).toEqual({ promptSnippet, ...(promptGuidelines && { promptGuidelines }) } as object);
    }
    expect(guidelines.filter((line) => line.length > 120)).toEqual([]);
  });

  test("nothing is said of a tool that the model does not have", () => {
    const text = prompt(["ls"]);
    expect(text).toContain("Tools:\n- ls: List a directory\n\nCurrent date");
    expect(text).not.toContain(askTool.promptSnippet as string);
  });

  test("the one for previews comes and goes without a word", () => {
    expect([resolveTool.promptSnippet, resolveTool.promptGuidelines]).toEqual([undefined, undefined]);
  });
});
