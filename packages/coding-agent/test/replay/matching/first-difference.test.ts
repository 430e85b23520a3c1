import { describe, expect, test } from "bun:test";
import { commonMessages, firstDifference } from "../../../src/replay/matching/first-difference.ts";

const request = (body: object, facts: object = {}) => ({
  api: "a",
  provider: "p",
  model: "m",
  path: "/messages",
  body,
  ...facts,
});
const message = (role: string, text: string) => ({ content: [{ text, type: "text" }], role });
const words = (recorded: object, now: object) => {
  const found = firstDifference(request(recorded), request(now));
  return found && `${found.where}: recorded ${found.recorded}, now ${found.now}`;
};

describe("the first difference", () => {
  test("is undefined for equal requests", () => {
    expect(words({ messages: [message("user", "a")] }, { messages: [message("user", "a")] })).toBeUndefined();
  });

  test("reports the model and server before the content", () => {
    expect(firstDifference(request({ x: 1 }), request({ x: 2 }, { model: "other" }))).toEqual({
      where: "model",
      recorded: '"m"',
      now: '"other"',
    });
  });

  test("names a message by number and role, in every API", () => {
    const [a, b] = [message("user", "same"), message("assistant", "one")];
    expect(words({ messages: [a, b] }, { messages: [a, message("assistant", "two")] })).toBe(
      'message 2 (assistant), content[0].text: recorded "one", now "two"',
    );
    expect(
      words(
        { contents: [{ role: "user", parts: [{ text: "x" }] }] },
        { contents: [{ role: "user", parts: [{ text: "y" }] }] },
      ),
    ).toBe('message 1 (user), parts[0].text: recorded "x", now "y"');
    expect(
      words(
        { input: [{ type: "function_call_output", output: "1" }] },
        { input: [{ type: "function_call_output", output: "2" }] },
      ),
    ).toBe('message 1 (function_call_output), output: recorded "1", now "2"');
  });

  test("reports an added or removed message", () => {
    const [a, b] = [message("user", "same"), { role: "user", content: "more" }];
    expect(words({ messages: [a] }, { messages: [a, b] })).toBe(
      'message 2 (user): recorded nothing, now {"role":"user","content":"more"}',
    );
    expect(words({ messages: [a, b] }, { messages: [a] })).toBe(
      'message 2 (user): recorded {"role":"user","content":"more"}, now nothing',
    );
  });

  test("reports differences in the system prompt, the tools and other fields", () => {
    expect(words({ system: "a" }, { system: "b" })).toBe('system prompt: recorded "a", now "b"');
    const tool = (name: string, description: string) => ({ name, description });
    expect(words({ tools: [tool("ls", "x")] }, { tools: [tool("ls", "y")] })).toBe(
      'tool "ls", description: recorded "x", now "y"',
    );
    expect(words({ tools: [tool("ls", "x")] }, { tools: [] })).toBe('tool "ls": recorded offered, now not offered');
    expect(words({ tools: [] }, { tools: [{ functionDeclarations: [tool("ls", "x")] }] })).toBe(
      'tool "ls": recorded not offered, now offered',
    );
    expect(words({ tools: [{ function: tool("ls", "x") }] }, { tools: [{ function: tool("ls", "y") }] })).toBe(
      'tool "ls", function.description: recorded "x", now "y"',
    );
    expect(words({ max_tokens: 1 }, { max_tokens: 2 })).toBe("max_tokens: recorded 1, now 2");
    expect(words({}, { tool_choice: { type: "any" } })).toBe('tool_choice: recorded nothing, now {"type":"any"}');
  });

  test("shortens long strings to the text around the difference", () => {
    const before = "x".repeat(5000);
    const found = words({ system: `${before}old${before}` }, { system: `${before}new${before}` }) ?? "";
    expect(found).toContain(`…${"x".repeat(40)}old`);
    expect(found).toContain(`…${"x".repeat(40)}new`);
    expect(found.length).toBeLessThan(480);
  });

  test("counts common messages from the beginning", () => {
    const list = (...texts: string[]) => request({ messages: texts.map((text) => message("user", text)) });
    expect(commonMessages(list("a", "b", "c"), list("a", "b", "x"))).toBe(2);
    expect(commonMessages(list("a", "b"), list("a", "b", "x"))).toBe(2);
    expect(commonMessages(list("a"), list("b"))).toBe(0);
  });
});
