import { describe, expect, test } from "bun:test";
import type { AssistantMessage, ToolResultMessage } from "../../../src/messages.ts";
import type { Compat, Model } from "../../../src/model.ts";
import { openaiCompletions } from "../../../src/protocols/openai-completions/openai-completions.ts";
import type { ModelContext } from "../../../src/protocols/protocol.ts";
import { zeroUsage } from "../../../src/usage.ts";
import { gpt } from "../../support/protocols/openai-completions/samples.ts";

/** An unknown server. */
const plain: Model = { ...gpt, provider: "somewhere", baseUrl: "https://llm.example.com/v1" };
const textOnly: Model = { ...plain, input: ["text"] };
const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
const picture = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };

function wire(messages: ModelContext["messages"], model: Model = plain, compat?: Compat): unknown {
  const { body } = openaiCompletions.request({ ...model, ...(compat && { compat }) }, { messages }, {});
  return (body as { messages: unknown }).messages;
}

function user(content: string) {
  return { role: "user" as const, content, timestamp: 1 };
}
function assistant(content: AssistantMessage["content"], from: Model = plain): AssistantMessage {
  const { api, provider, id: model } = from;
  return { role: "assistant", content, api, provider, model, usage: zeroUsage(), stopReason: "stop", timestamp: 1 };
}
function call(id: string, more: object = {}) {
  return { type: "toolCall" as const, id, name: "read", arguments: { path: "a" }, ...more };
}
function result(toolCallId: string, content: ToolResultMessage["content"]): ToolResultMessage {
  return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 1 };
}
function wireCall(id: string) {
  return { id, type: "function", function: { name: "read", arguments: '{"path":"a"}' } };
}

test("a conversation with every kind of block", () => {
  expect(
    wire([
      user("Hello"),
      { role: "developer", content: "A note", timestamp: 2 },
      { role: "user", content: [{ type: "text", text: "Look" }, image, { type: "text", text: "here" }], timestamp: 3 },
      assistant([
        { type: "thinking", thinking: "Hm", thinkingSignature: "reasoning_content" },
        { type: "redactedThinking", data: "b3BhcXVl" },
        { type: "text", text: "I read." },
        call("call_1", { thoughtSignature: "c2ln" }),
        call("call_2"),
      ]),
      result("call_1", [{ type: "text", text: "one" }, image, { type: "text", text: "two" }]),
      result("call_2", [image]),
      assistant([{ type: "text", text: "Done." }]),
      user("Thanks"),
    ]),
  ).toEqual([
    { role: "user", content: "Hello" },
    { role: "user", content: "A note" },
    { role: "user", content: [{ type: "text", text: "Look" }, picture, { type: "text", text: "here" }] },
    {
      role: "assistant",
      content: "I read.",
      reasoning_content: "Hm",
      tool_calls: [
        { ...wireCall("call_1"), extra_content: { google: { thought_signature: "c2ln" } } },
        wireCall("call_2"),
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "one\ntwo" },
    { role: "tool", tool_call_id: "call_2", content: "(the image follows)" },
    {
      role: "user",
      content: [
        { type: "text", text: "Image from the result of read:" },
        picture,
        { type: "text", text: "Image from the result of read:" },
        picture,
      ],
    },
    { role: "assistant", content: "Done." },
    { role: "user", content: "Thanks" },
  ]);
});

test("converting a conversation does not change it", () => {
  const messages = [user("Hello"), assistant([call("call_1")]), result("call_1", [image])];
  const before = JSON.stringify(messages);
  wire(messages, { ...plain, compat: { cacheControlFormat: "anthropic" } });
  expect(JSON.stringify(messages)).toBe(before);
});

describe("images", () => {
  const note = "[An image was left out: this model does not take images.]";
  test("of the user become a note for a model without image input", () => {
    const content = [{ type: "text" as const, text: "Look" }, image];
    expect(wire([{ role: "user", content, timestamp: 1 }], textOnly)).toEqual([
      { role: "user", content: `Look\n${note}` },
    ]);
  });

  test("of tool results also become a note", () => {
    expect(wire([assistant([call("a")], textOnly), result("a", [image])], textOnly)).toEqual([
      { role: "assistant", content: null, tool_calls: [wireCall("a")] },
      { role: "tool", tool_call_id: "a", content: note },
    ]);
  });

  test("in a developer message are sent as the user", () => {
    const developer = { role: "developer" as const, content: [image], timestamp: 1 };
    expect(wire([developer], plain, { supportsDeveloperRole: true })).toEqual([{ role: "user", content: [picture] }]);
  });
});

describe("roles", () => {
  test("developer if the server has that role", () => {
    expect(wire([{ role: "developer", content: "A note", timestamp: 1 }], gpt)).toEqual([
      { role: "developer", content: "A note" },
    ]);
  });

  test("an assistant message follows tool results if a template requires it", () => {
    const compat = { requiresAssistantAfterToolResult: true };
    const bridge = { role: "assistant", content: "I have the tool results." };
    expect(wire([result("a", [image]), user("Go on")], plain, compat)).toEqual([
      { role: "tool", tool_call_id: "a", content: "(the image follows)" },
      bridge,
      { role: "user", content: [{ type: "text", text: "Image from the result of read:" }, picture] },
      { role: "user", content: "Go on" },
    ]);
    expect(wire([result("a", []), result("b", []), user("Go on")], plain, compat)).toEqual([
      { role: "tool", tool_call_id: "a", content: "(no output)" },
      { role: "tool", tool_call_id: "b", content: "(no output)" },
      bridge,
      { role: "user", content: "Go on" },
    ]);
  });

  test("a tool result has a name if one is required", () => {
    expect(wire([result("a", [{ type: "text", text: "x" }])], plain, { requiresToolResultName: true })).toEqual([
      { role: "tool", tool_call_id: "a", name: "read", content: "x" },
    ]);
  });
});

describe("nothing empty is sent", () => {
  test("blank blocks and messages are left out", () => {
    expect(
      wire([
        user(""),
        { role: "user", content: [{ type: "text", text: " " }], timestamp: 1 },
        assistant([]),
        assistant([{ type: "text", text: "" }]),
        assistant([{ type: "thinking", thinking: "only a thought", thinkingSignature: "reasoning_content" }]),
        assistant([{ type: "text", text: "\n" }, call("a")]),
      ]),
    ).toEqual([{ role: "assistant", content: null, tool_calls: [wireCall("a")] }]);
  });
});

describe("thoughts", () => {
  const thought = { type: "thinking" as const, thinking: "Hm", thinkingSignature: "reasoning" };
  const said = { type: "text" as const, text: "x" };

  test.each(["reasoning_content", "reasoning", "reasoning_text"])("go back into %s", (field) => {
    expect(wire([assistant([{ ...thought, thinkingSignature: field }, said])])).toEqual([
      { role: "assistant", content: "x", [field]: "Hm" },
    ]);
  });

  test("interrupted by text are joined again", () => {
    expect(wire([assistant([thought, said, { ...thought, thinking: "…" }, { ...said, text: "y" }])])).toEqual([
      { role: "assistant", content: "xy", reasoning: "Hm…" },
    ]);
  });

  test("go back as OpenRouter's items", () => {
    const items = [{ type: "reasoning.text", text: "Hm", signature: "c2ln", index: 0 }];
    const kept = { ...thought, thinkingSignature: JSON.stringify(items) };
    expect(wire([assistant([kept, said, thought])])).toEqual([
      { role: "assistant", content: "x", reasoning_details: items },
    ]);
  });

  test.each<[string, Partial<Model>]>([
    ["provider", { provider: "other" }],
    ["API", { api: "anthropic-messages" }],
    ["model", { id: "other" }],
  ])("of another %s are dropped, and so are its signatures", (_name, from) => {
    const foreign = assistant([thought, said, { ...said, text: "y" }, call("a", { thoughtSignature: "s" })], {
      ...plain,
      ...from,
    });
    expect(wire([foreign])).toEqual([{ role: "assistant", content: "x\n\ny", tool_calls: [wireCall("a")] }]);
  });

  test.each(["[", "[1", "EuYBCkQYAiJA", ""])("with the unknown origin %j are dropped", (thinkingSignature) => {
    expect(wire([assistant([{ ...thought, thinkingSignature }, said])])).toEqual([{ role: "assistant", content: "x" }]);
  });

  test("become text if the server has no field for them", () => {
    const messages = [assistant([thought, said]), assistant([{ ...thought, thinking: "Other" }, said], gpt)];
    expect(wire(messages, plain, { requiresThinkingAsText: true })).toEqual([
      { role: "assistant", content: "Hm\n\nx" },
      { role: "assistant", content: "Other\n\nx" },
    ]);
  });

  test("are always present if the server requires them", () => {
    const compat = { requiresReasoningContentOnAssistantMessages: true };
    const own = { ...thought, thinkingSignature: "reasoning_content" };
    expect(wire([assistant([said]), assistant([own, said])], plain, compat)).toEqual([
      { role: "assistant", content: "x", reasoning_content: "" },
      { role: "assistant", content: "x", reasoning_content: "Hm" },
    ]);
  });
});

describe("ids", () => {
  const foreign = `call_abc|fc_${"x".repeat(400)}`;
  test("of other APIs fit in 40 characters, for call and result alike", () => {
    const [calling, resulting] = wire([assistant([call(foreign)]), result(foreign, [])]) as [
      { tool_calls: [{ id: string }] },
      { tool_call_id: string },
    ];
    expect(calling.tool_calls[0].id).toMatch(/^call_abc_fc_[A-Za-z0-9_-]{28}$/);
    expect(resulting.tool_call_id).toBe(calling.tool_calls[0].id);
  });

  test("are nine letters and digits for Mistral", () => {
    const mistral = { ...plain, provider: "mistral" };
    const [calling, resulting] = wire([assistant([call("call_1")]), result("call_1", [])], mistral) as [
      { tool_calls: [{ id: string }] },
      object,
    ];
    const { id } = calling.tool_calls[0];
    expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(resulting).toEqual({ role: "tool", tool_call_id: id, name: "read", content: "(no output)" });
  });
});
