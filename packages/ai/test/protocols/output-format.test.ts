import { describe, expect, test } from "bun:test";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { googleGenerativeAi } from "../../src/protocols/google-generative-ai/google-generative-ai.ts";
import { openaiCompletions } from "../../src/protocols/openai-completions/openai-completions.ts";
import { openaiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import { toClosedSchema, toStrictSchema } from "../../src/protocols/output-format.ts";
import type { HttpProtocol } from "../../src/protocols/protocol.ts";
import { gpt6 } from "../support/protocols/openai-responses/samples.ts";

const schema = {
  type: "object",
  properties: { line: { type: "integer", minimum: 1 }, note: { type: "string" }, kind: { enum: ["a", "b"] } },
  required: ["line"],
};
const outputFormat = { name: "output", schema };
const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 1 }] };
const bodyOf = (protocol: HttpProtocol, api: string, compat = {}) =>
  protocol.request({ ...gpt6, api, reasoning: false, compat }, context, { outputFormat }).body as Record<string, never>;

const strict = {
  type: "object",
  properties: {
    line: { type: "integer", minimum: 1 },
    note: { type: ["string", "null"] },
    kind: { anyOf: [{ enum: ["a", "b"] }, { type: "null" }] },
  },
  required: ["line", "note", "kind"],
  additionalProperties: false,
};

describe("the format of each API", () => {
  test("openai-completions", () => {
    expect(bodyOf(openaiCompletions, "openai-completions", { supportsStrictMode: true }).response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "output", schema: strict, strict: true },
    } as never);
    expect(bodyOf(openaiCompletions, "openai-completions", { supportsStrictMode: false }).response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "output", schema },
    } as never);
  });

  test("openai-responses", () => {
    expect(bodyOf(openaiResponses, "openai-responses").text).toEqual({
      format: { type: "json_schema", name: "output", schema: strict, strict: true },
    } as never);
  });

  test("anthropic-messages", () => {
    expect(bodyOf(anthropicMessages, "anthropic-messages").output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          ...schema,
          properties: { ...schema.properties, line: { type: "integer", description: "minimum: 1" } },
          additionalProperties: false,
        },
      },
    } as never);
  });

  test("google-generative-ai", () => {
    expect(bodyOf(googleGenerativeAi, "google-generative-ai").generationConfig).toMatchObject({
      responseMimeType: "application/json",
      responseJsonSchema: schema,
    });
  });
});

test("no format is sent without a schema", () => {
  for (const [protocol, field] of [
    [openaiCompletions, "response_format"],
    [openaiResponses, "text"],
    [anthropicMessages, "output_config"],
  ] as const) {
    const { body } = protocol.request({ ...gpt6, reasoning: false }, context, {});
    expect(body).not.toHaveProperty(field);
  }
});

test("a schema that strict mode cannot express is not sent as strict", () => {
  for (const open of [
    { type: "object" },
    { type: "object", properties: {}, additionalProperties: true },
    { type: "object", properties: { a: {} } },
    { type: "object", properties: { a: { allOf: [{ type: "string" }] } } },
    { type: "object", properties: { a: true } },
    { type: "object", properties: { a: { type: "array", items: { type: "object" } } } },
  ]) {
    expect(toStrictSchema(open)).toBeUndefined();
  }
});

test("definitions and references stay; defaults and formats are removed", () => {
  const named = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a", description: "x" }, b: { type: "string", format: "date", default: "x" } },
    required: ["a", "b"],
    $defs: { a: { oneOf: [{ type: "string" }, { type: "null" }] } },
  };
  expect(toStrictSchema(named)).toEqual({
    type: "object",
    properties: { a: { $ref: "#/$defs/a" }, b: { type: "string" } },
    required: ["a", "b"],
    additionalProperties: false,
    $defs: { a: { anyOf: [{ type: "string" }, { type: "null" }] } },
  });
  expect(toClosedSchema({ type: "array", items: { type: "object", properties: {} } })).toEqual({
    type: "array",
    items: { type: "object", properties: {}, additionalProperties: false },
  });
});
