import { describe, expect, test } from "bun:test";
import type { AssistantMessage, ImageContent, ProviderMessage, ToolResultMessage } from "../../../src/messages.ts";
import type { Model } from "../../../src/model.ts";
import { googleGenerativeAi } from "../../../src/protocols/google-generative-ai/google-generative-ai.ts";
import { assistantMessage } from "../../support/protocols/anthropic-messages/samples.ts";
import { gemini, gemini25 } from "../../support/protocols/google-generative-ai/samples.ts";

const png: ImageContent = { type: "image", data: "iVBORw0=", mimeType: "image/png" };
const picture = { inlineData: { mimeType: "image/png", data: "iVBORw0=" } };
const NONE = "skip_thought_signature_validator";

function contentsOf(messages: ProviderMessage[], model: Model = gemini): unknown[] {
  return (googleGenerativeAi.request(model, { messages }, {}).body as { contents: unknown[] }).contents;
}
function user(content: Extract<ProviderMessage, { role: "user" }>["content"]): ProviderMessage {
  return { role: "user", content, timestamp: 1 };
}
function said(content: AssistantMessage["content"], from: Model = gemini): AssistantMessage {
  return assistantMessage(content, from);
}
function result(
  toolCallId: string,
  content: ToolResultMessage["content"],
  more: Partial<ToolResultMessage> = {},
): ToolResultMessage {
  return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 1, ...more };
}
function call(id: string, more: object = {}) {
  return { type: "toolCall" as const, id, name: "read", arguments: { path: "a" }, ...more };
}
function wireCall(id: string, more: object = {}) {
  return { functionCall: { id, name: "read", args: { path: "a" } }, ...more };
}
function response(id: string, output: string, more: object = {}) {
  return { functionResponse: { id, name: "read", response: { output }, ...more } };
}
const text = (value: string) => ({ type: "text" as const, text: value });

test("a conversation with every kind of block becomes the vendor's contents", () => {
  expect(
    contentsOf([
      user([text("What is in the picture?"), png]),
      said([
        { type: "thinking", thinking: "Hm", thinkingSignature: "YQ==" },
        { type: "redactedThinking", data: "opaque" },
        { ...text("I read."), textSignature: "Yg==" },
        call("a", { thoughtSignature: "Yw==" }),
        call("b"),
      ]),
      result("a", [text("one"), png, text("two")]),
      result("b", [text("exit code 1")], { isError: true }),
      { role: "developer", content: "State may be partial.", timestamp: 1 },
      user("Go on."),
    ]),
  ).toEqual([
    { role: "user", parts: [{ text: "What is in the picture?" }, picture] },
    {
      role: "model",
      parts: [
        { text: "Hm", thought: true, thoughtSignature: "YQ==" },
        { text: "I read.", thoughtSignature: "Yg==" },
        wireCall("a", { thoughtSignature: "Yw==" }),
        wireCall("b"),
      ],
    },
    {
      role: "user",
      parts: [
        response("a", "one\ntwo", { parts: [picture] }),
        { functionResponse: { id: "b", name: "read", response: { error: "exit code 1" } } },
      ],
    },
    { role: "user", parts: [{ text: "State may be partial." }, { text: "Go on." }] },
  ]);
});

describe("sides", () => {
  test("the user begins and ends", () => {
    expect(contentsOf([said([text("Hello")])])).toEqual([
      { role: "user", parts: [{ text: "(the conversation continues)" }] },
      { role: "model", parts: [{ text: "Hello" }] },
      { role: "user", parts: [{ text: "(go on)" }] },
    ]);
  });

  test("adjacent messages of one side are merged, and blank ones left out", () => {
    expect(
      contentsOf([
        user("a"),
        user([text(" ")]),
        said([]),
        said([text("\n")]),
        user("b"),
        said([text("c")]),
        said([text("d")]),
        user("e"),
      ]),
    ).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
      { role: "model", parts: [{ text: "c" }, { text: "d" }] },
      { role: "user", parts: [{ text: "e" }] },
    ]);
  });

  test("an empty conversation", () => {
    expect(contentsOf([])).toEqual([]);
  });
});

describe("signatures", () => {
  const signed: AssistantMessage["content"] = [
    { type: "thinking", thinking: "Hm", thinkingSignature: "YQ==" },
    { ...text("x"), textSignature: "Yg==" },
    call("a", { thoughtSignature: "Yw==" }),
    call("b", { thoughtSignature: "ZA==" }),
  ];

  test.each<[string, Partial<Model>]>([
    ["provider", { provider: "vertex" }],
    ["API", { api: "openai-completions" }],
    ["model", { id: "gemini-3-pro" }],
  ])("of another %s are not sent; the first call is marked as unsigned", (_name, from) => {
    expect(contentsOf([user("q"), said(signed, { ...gemini, ...from }), result("a", []), result("b", [])])[1]).toEqual({
      role: "model",
      parts: [{ text: "x" }, wireCall("a", { thoughtSignature: NONE }), wireCall("b")],
    });
  });

  test.each(["gemini-2.5-flash", "gemini-2.0-flash", "gemma-4-26b"])("are not required by %s", (id) => {
    const [, turn] = contentsOf([user("q"), said([call("a")]), result("a", [])], { ...gemini, id });
    expect(turn).toEqual({ role: "model", parts: [wireCall("a")] });
  });

  test.each(["gemini-3-pro", "models/gemini-3.8-flash", "gemini-10-flash", "gemini-flash-latest"])(
    "are required by %s",
    (id) => {
      const [, turn] = contentsOf([user("q"), said([call("a")]), result("a", [])], { ...gemini, id });
      expect(turn).toEqual({ role: "model", parts: [wireCall("a", { thoughtSignature: NONE })] });
    },
  );

  test.each(["", "{}", '{"id":"fc_1"}', "not base64!"])("%j is not one", (thoughtSignature) => {
    const [, turn] = contentsOf([user("q"), said([call("a", { thoughtSignature })]), result("a", [])]);
    expect(turn).toEqual({ role: "model", parts: [wireCall("a", { thoughtSignature: NONE })] });
  });

  test("a thought without one is not sent", () => {
    expect(contentsOf([user("q"), said([{ type: "thinking", thinking: "Hm" }, text("x")]), user("r")])[1]).toEqual({
      role: "model",
      parts: [{ text: "x" }],
    });
  });
});

describe("images", () => {
  test("of results follow them if a response cannot contain them", () => {
    expect(
      contentsOf(
        [user("q"), said([call("a"), call("b")], gemini25), result("a", [png]), result("b", []), user("r")],
        gemini25,
      ),
    ).toEqual([
      { role: "user", parts: [{ text: "q" }] },
      { role: "model", parts: [wireCall("a"), wireCall("b")] },
      { role: "user", parts: [response("a", "(see the image)"), response("b", "(no output)")] },
      { role: "user", parts: [{ text: "Image from the result of read:" }, picture, { text: "r" }] },
    ]);
    expect(contentsOf([result("a", [png])], gemini25).at(-1)).toEqual({
      role: "user",
      parts: [{ text: "Image from the result of read:" }, picture],
    });
  });

  test("that the model or the API does not support become a note", () => {
    const blind = { ...gemini, input: ["text" as const] };
    expect(contentsOf([result("a", [png])], blind)).toEqual([
      { role: "user", parts: [response("a", "(an image was left out: this model takes only text)")] },
    ]);
    expect(contentsOf([user([{ ...png, mimeType: "image/gif" }])])).toEqual([
      { role: "user", parts: [{ text: "(an image was left out: image/gif is not supported)" }] },
    ]);
    expect(contentsOf([user([{ ...png, mimeType: "image/jpg" }])])).toEqual([
      { role: "user", parts: [{ inlineData: { mimeType: "image/jpeg", data: "iVBORw0=" } }] },
    ]);
  });
});

test("ids of other APIs are the same for call and response", () => {
  const foreign = `call_abc|fc_${"x".repeat(400)}`;
  const [, calling, answering] = contentsOf([user("q"), said([call(foreign)]), result(foreign, [])]) as {
    parts: { functionCall?: { id: string }; functionResponse?: { id: string } }[];
  }[];
  const id = calling?.parts[0]?.functionCall?.id;
  expect(id).toMatch(/^call_abc_fc_[A-Za-z0-9_-]{52}$/);
  expect(answering?.parts[0]?.functionResponse?.id).toBe(id as string);
});

test("a response has the name of the call, whichever tool ran", () => {
  const messages = [user("go"), said([call("a")]), result("a", [text("done")], { toolName: "another" })];
  expect(contentsOf(messages).at(-1)).toEqual({ role: "user", parts: [response("a", "done")] });
});
