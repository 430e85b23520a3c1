import { describe, expect, test } from "bun:test";
import { buildSystemPrompt } from "../../src/resources/system-prompt/system-prompt.ts";
import { readToolTexts } from "../../src/resources/system-prompt/tool-texts.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { resolveTool } from "../../src/tools/resolve.ts";

/** Tools that are only declared, not called, so they need no session. */
const tools = createBuiltinTools({ settings: { get: () => true } } as never).map(({ tool }) => tool);
const prompt = (names: readonly string[]) =>
  buildSystemPrompt(
    { tools: tools.filter(({ name }) => names.includes(name)), cwd: "/" },
    { date: "2026-02-03", machine: "Operating system: Linux" },
  );

describe("built-in tools in the system prompt", () => {
  test("are not listed, because their declarations are in the same request", () => {
    expect(tools.filter(({ promptSnippet }) => promptSnippet !== undefined)).toEqual([]);
    expect(prompt(tools.map(({ name }) => name))).not.toContain("Further tools:");
  });

  test("their guidelines are one line each, without repetition", () => {
    const guidelines = tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines);
    expect(new Set(guidelines).size).toBe(guidelines.length);
    for (const tool of tools) {
      const { promptGuidelines } = tool;
      expect(readToolTexts(tool)).toEqual(promptGuidelines ? { promptGuidelines } : {});
    }
    expect(guidelines.filter((line) => line.length > 120)).toEqual([]);
  });

  test("nothing mentions a tool that the model does not have", () => {
    const text = prompt(["ls"]);
    expect(text).not.toMatch(/grep|bash|git |Guidelines:/);
  });

  test("resolve adds nothing to the prompt", () => {
    expect([resolveTool.promptSnippet, resolveTool.promptGuidelines]).toEqual([undefined, undefined]);
  });
});
