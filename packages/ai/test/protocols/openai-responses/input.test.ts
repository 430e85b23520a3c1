import { describe, expect, test } from "bun:test";
import type { AssistantMessage, ImageContent, ProviderMessage, ToolResultMessage } from "../../../src/messages.ts";
import type { Model } from "../../../src/model.ts";
import { openaiResponses } from "../../../src/protocols/openai-responses/openai-responses.ts";
import { assistantMessage } from "../../support/protocols/anthropic-messages/samples.ts";
import { gpt6 } from "../../support/protocols/openai-responses/samples.ts";

const png: ImageContent = { type: "image", data: "iVBORw0=", mimeType: "image/png" };
const picture = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0=" };

function inputOf(messages: ProviderMessage[], model: Model = gpt6): unknown[] {
  return (openaiResponses.request(model, { messages }, {}).body as { input: unknown[] }).input;
}
function user(content: Extract<ProviderMessage, { role: "user" }>["content"]): ProviderMessage {
  return { role: "user", content, timestamp: 1 };
}
function said(content: AssistantMessage["content"], from: Model = gpt6): AssistantMessage {
  return assistantMessage(content, from);
}
function result(toolCallId: string, content: ToolResultMessage["content"], isError = false): ToolResultMessage {
  return { role: "toolResult", toolCallId, toolName: "read", content, isError, timestamp: 1 };
}

const rs1 = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm" }],
  encrypted_content: "gA==",
};
const thought = { type: "thinking" as const, thinking: "Hm", thinkingSignature: JSON.stringify(rs1) };
const hello = {
  type: "text" as const,
  text: "Hello",
  textSignature: '{"id":"msg_1","after":"rs_1","phase":"commentary"}',
};
const read = {
  type: "toolCall" as const,
  id: "call_1",
  name: "read",
  arguments: { path: "a" },
  thoughtSignature: '{"id":"fc_1","after":"rs_1"}',
};
const wireHello = {
  type: "message",
  role: "assistant",
  id: "msg_1",
  status: "completed",
  content: [{ type: "output_text", text: "Hello", annotations: [] }],
  phase: "commentary",
};
const wireRead = { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a"}' };

test("a conversation with every kind of block becomes the vendor's items", () => {
  expect(
    inputOf([
      user([{ type: "text", text: "What is in the picture?" }, png]),
      said([thought, hello, read, { type: "redactedThinking", data: "opaque" }]),
      result("call_1", [{ type: "text", text: "one" }, png, { type: "text", text: "two" }]),
      { role: "developer", content: "State may be partial.", timestamp: 1 },
      user("Go on."),
    ]),
  ).toEqual([
    { role: "user", content: [{ type: "input_text", text: "What is in the picture?" }, picture] },
    rs1,
    wireHello,
    { ...wireRead, id: "fc_1" },
    {
      type: "function_call_output",
      call_id: "call_1",
      output: [{ type: "input_text", text: "one" }, picture, { type: "input_text", text: "two" }],
    },
    { role: "developer", content: "State may be partial." },
    { role: "user", content: "Go on." },
  ]);
});

describe("items are sent back unchanged, or plain", () => {
  const plainHello = { role: "assistant", content: "Hello", phase: "commentary" };

  test.each<[string, AssistantMessage["content"], unknown[]]>([
    ["reasoning without what follows it", [thought], []],
    ["reasoning at the end of an answer", [thought, hello, thought], [rs1, wireHello]],
    ["the thoughts were taken away", [hello, read], [plainHello, wireRead]],
    ["the thoughts were not encrypted", [{ type: "thinking", thinking: "Hm" }, hello, read], [plainHello, wireRead]],
    [
      "one item has lost its id",
      [thought, hello, { ...read, thoughtSignature: undefined } as never],
      [plainHello, wireRead],
    ],
    [
      "the ids are longer than the API takes",
      [thought, { ...hello, textSignature: `{"id":"${"x".repeat(65)}"}` }],
      [{ role: "assistant", content: "Hello" }],
    ],
    [
      "nothing was thought",
      [
        { ...hello, textSignature: '{"id":"msg_1"}' },
        { ...read, thoughtSignature: '{"id":"fc_1"}' },
      ],
      [
        { ...wireHello, phase: undefined },
        { ...wireRead, id: "fc_1" },
      ],
    ],
  ])("%s", (_name, content, expected) => {
    expect(inputOf([said(content)])).toEqual(expected);
  });

  test.each(["msg_1", "{", "[]", "{}", '{"id":1}', "c2ln"])(
    "the unknown signature %j is not a link",
    (textSignature) => {
      expect(inputOf([said([thought, { ...hello, textSignature }])])).toEqual([
        { role: "assistant", content: "Hello" },
      ]);
    },
  );

  test.each(["rs_1", "{}", '{"type":"reasoning","id":"rs_1","summary":[]}', "c2ln"])(
    "the unknown thought %j is dropped",
    (thinkingSignature) => {
      const unlinked = { ...hello, textSignature: '{"id":"msg_1"}' };
      expect(inputOf([said([{ ...thought, thinkingSignature }, unlinked])])).toEqual([
        { ...wireHello, phase: undefined },
      ]);
    },
  );

  test.each<[string, Partial<Model>]>([
    ["provider", { provider: "azure" }],
    ["API", { api: "openai-completions" }],
    ["model", { id: "gpt-5" }],
  ])("of another %s: neither thoughts nor ids", (_name, from) => {
    expect(inputOf([said([thought, hello, read], { ...gpt6, ...from })])).toEqual([
      { role: "assistant", content: "Hello" },
      wireRead,
    ]);
  });
});

describe("nothing empty or unknown is sent", () => {
  test("blank text and messages are left out, results never are", () => {
    expect(
      inputOf([
        user(""),
        user([{ type: "text", text: " " }]),
        said([]),
        said([{ type: "text", text: "\n" }]),
        result("call_1", []),
        result("call_2", [{ type: "text", text: "" }], true),
      ]),
    ).toEqual([
      { type: "function_call_output", call_id: "call_1", output: "(no output)" },
      { type: "function_call_output", call_id: "call_2", output: "(no output)" },
    ]);
  });

  test("images that the model or the API does not support become a note", () => {
    const blind = { ...gpt6, input: ["text" as const] };
    expect(inputOf([user([png])], blind)).toEqual([
      { role: "user", content: "(an image was left out: this model takes only text)" },
    ]);
    expect(inputOf([result("a", [{ ...png, mimeType: "image/tiff" }])])).toEqual([
      {
        type: "function_call_output",
        call_id: "a",
        output: "(an image was left out: image/tiff is not supported)",
      },
    ]);
    expect(inputOf([user([{ ...png, mimeType: "IMAGE/JPG" }])])).toEqual([
      { role: "user", content: [{ ...picture, image_url: "data:image/jpeg;base64,iVBORw0=" }] },
    ]);
  });
});

describe("developer messages", () => {
  const note = { role: "developer" as const, content: "A note", timestamp: 1 };
  test("are sent as the user if the server has no such role, or with an image", () => {
    const old = { ...gpt6, compat: { supportsDeveloperRole: false } };
    expect(inputOf([note], old)).toEqual([{ role: "user", content: "A note" }]);
    expect(inputOf([{ ...note, content: [png] }])).toEqual([{ role: "user", content: [picture] }]);
  });
});

test("ids of other APIs fit in 64 characters, for call and result alike", () => {
  const foreign = `call_abc|fc_${"x".repeat(400)}`;
  const [calling, resulting] = inputOf([
    said([{ ...read, id: foreign }], { ...gpt6, api: "other" }),
    result(foreign, []),
  ]) as { call_id: string }[];
  expect(calling?.call_id).toMatch(/^call_abc_fc_[A-Za-z0-9_-]{52}$/);
  expect(resulting?.call_id).toBe(calling?.call_id as string);
});
