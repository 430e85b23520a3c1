import { describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import type { Content } from "@google/genai";
import fc from "fast-check";
import type OpenAI from "openai";
import { toCallOptions } from "../../src/bridge/bridge-call.ts";
import type { AssistantContent, ProviderMessage } from "../../src/messages.ts";
import type { Model } from "../../src/model.ts";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { googleGenerativeAi } from "../../src/protocols/google-generative-ai/google-generative-ai.ts";
import { openaiCompletions } from "../../src/protocols/openai-completions/openai-completions.ts";
import { openaiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import type { HttpProtocol } from "../../src/protocols/protocol.ts";
import { contextPrefix } from "../../src/request-prefix.ts";
import { cloudModel } from "../support/bridge/fake-package.ts";
import { type Conversation, conversations, type Dialect, type Said } from "../support/conversation-arbitrary.ts";
import { claude } from "../support/protocols/anthropic-messages/samples.ts";
import { gemini, gemini25 } from "../support/protocols/google-generative-ai/samples.ts";
import { gpt } from "../support/protocols/openai-completions/samples.ts";
import { gpt6 } from "../support/protocols/openai-responses/samples.ts";

// A conversation may have been held with any model. Every API must accept all of it, whatever other models left in it.

type Write = (said: Said, mark: string, callId: string) => AssistantContent;

function dialect(model: Model, toCallId: (word: string) => string, write: Write): Dialect {
  return {
    model,
    answer: (blocks, { mark, call }) => blocks.map((said, index) => write(said, mark(index), toCallId(call(index)))),
  };
}

/** Opaque signatures, added where the API signs. */
const opaque: Write = ({ kind, text, isSigned }, mark, id) => {
  if (kind === "hidden") return { type: "redactedThinking", data: mark };
  if (kind === "thinking") return { type: "thinking", thinking: text, ...(isSigned && { thinkingSignature: mark }) };
  if (kind === "text") return { type: "text", text, ...(isSigned && { textSignature: mark }) };
  return { type: "toolCall", id, name: "read", arguments: { path: text }, ...(isSigned && { thoughtSignature: mark }) };
};

/** Arbitrary metadata of an AI SDK package. */
const metadata: Write = ({ kind, text, isSigned }, mark, id) => {
  const signature = JSON.stringify({ vendor: { signature: mark } });
  if (kind === "call") {
    const call = { type: "toolCall" as const, id, name: "read", arguments: { path: text } };
    return { ...call, ...(isSigned && { thoughtSignature: signature }) };
  }
  if (kind === "text") return { type: "text", text, ...(isSigned && { textSignature: signature }) };
  return {
    type: "thinking",
    thinking: kind === "hidden" ? "" : text,
    ...(isSigned && { thinkingSignature: signature }),
  };
};

/** Items: the item after reasoning refers to it, here also by id, so that the check can tell which belong together. */
function linked(model: Model): Dialect {
  return {
    model,
    answer: (blocks, { mark, call }) => {
      let after: string | undefined;
      return blocks.map(({ kind, text, isSigned }, index): AssistantContent => {
        if (kind === "thinking" || kind === "hidden") {
          after = mark(index);
          const item = { type: "reasoning", id: after, summary: [], encrypted_content: `secret-${after}` };
          return { type: "thinking", thinking: text, ...(isSigned && { thinkingSignature: JSON.stringify(item) }) };
        }
        const id = after ? `${mark(index)}-after-${after}` : mark(index);
        const link = isSigned ? JSON.stringify({ id, after }) : undefined;
        if (kind === "text") return { type: "text", text, ...(link && { textSignature: link }) };
        const callId = `${call(index)}|fc_${"x".repeat(80)}`;
        const toolCall = { type: "toolCall" as const, id: callId, name: "read", arguments: { path: text } };
        return { ...toolCall, ...(link && { thoughtSignature: link }) };
      });
    },
  };
}

const dialects: Dialect[] = [
  dialect(claude, (word) => `toolu_${word}`, opaque),
  dialect({ ...claude, id: "claude-other" }, (word) => `toolu_${word}`, opaque),
  dialect(gpt, (word) => `chatcmpl-tool:${word}`, opaque),
  dialect(gemini, (word) => `${word}/${"ü".repeat(3)}`, opaque),
  dialect(gemini25, (word) => `${word} 0`, opaque),
  dialect({ ...gemini, provider: "proxy" }, (word) => word, opaque),
  dialect(cloudModel, (word) => `${word}.${word}`, metadata),
  linked(gpt6),
  linked({ ...gpt6, id: "gpt-5-test" }),
];

/** Not a protocol, but it also passes a conversation to a package. */
const bridge: Pick<HttpProtocol, "request"> = {
  request: (model, context, options) => ({
    url: "",
    headers: {},
    body: toCallOptions(
      model,
      { specificationVersion: "v4", provider: "cloud", doStream: Promise.reject },
      context,
      options,
    ),
    prefix: contextPrefix(context),
  }),
};

interface Target {
  model: Model;
  protocol: Pick<HttpProtocol, "request">;
  idPattern: RegExp;
  /** Throws if the body breaks a rule of the API; returns the ids of the calls, in order. */
  check(body: never): string[];
}

const targets: [string, Target][] = [
  [
    "anthropic-messages",
    { model: claude, protocol: anthropicMessages, idPattern: /^[\w-]{1,64}$/, check: checkAnthropic },
  ],
  [
    "openai-completions",
    { model: gpt, protocol: openaiCompletions, idPattern: /^[\w-]{1,40}$/, check: checkCompletions },
  ],
  ["openai-responses", { model: gpt6, protocol: openaiResponses, idPattern: /^[\w-]{1,64}$/, check: checkResponses }],
  ["google, signed", { model: gemini, protocol: googleGenerativeAi, idPattern: /^[\w-]{1,64}$/, check: checkGoogle }],
  ["ai-sdk", { model: cloudModel, protocol: bridge, idPattern: /^[\w-]{1,64}$/, check: checkBridge }],
  ["google, older", { model: gemini25, protocol: googleGenerativeAi, idPattern: /^[\w-]{1,64}$/, check: checkGoogle }],
];

describe.each(targets)("%s", (_name, { model, protocol, idPattern, check }) => {
  const bodyOf = ({ messages }: Conversation) => protocol.request(model, { messages }, { thinkingLevel: "low" }).body;

  test("accepts any history", () => {
    fc.assert(
      fc.property(conversations(dialects), (conversation) => {
        const ids = check(bodyOf(conversation) as never);
        const called = conversation.messages.flatMap((message) =>
          message.role === "assistant" ? message.content.filter(({ type }) => type === "toolCall") : [],
        );
        expect(ids).toHaveLength(called.length);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).toMatch(idPattern);
      }),
      { numRuns: 300 },
    );
  });

  test("never sends a signature to another model", () => {
    fc.assert(
      fc.property(conversations(dialects), (conversation) => {
        const shown = JSON.stringify(bodyOf(conversation));
        for (const { model: from, marks } of conversation.marks) {
          const isOwn = from.provider === model.provider && from.api === model.api && from.id === model.id;
          if (!isOwn) for (const mark of marks) expect(shown).not.toContain(mark);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("an earlier request is a prefix of the next one, as the provider's cache needs", () => {
    fc.assert(
      fc.property(conversations(dialects), ({ messages, marks }) => {
        const whole = blocksOf(bodyOf({ messages, marks }));
        for (const [index, { role }] of messages.entries()) {
          // The model was called whenever it answered an input.
          if (role !== "assistant" || !isInput(messages[index - 1])) continue;
          const sent = blocksOf(bodyOf({ messages: messages.slice(0, index), marks }));
          expect(whole.slice(0, sent.length)).toEqual(sent);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("gets tools in the given order", () => {
    const tools = ["read", "bash", "grep"].map((name) => ({ name, description: name, parameters: { type: "object" } }));
    for (const list of [tools, tools.toReversed()]) {
      const sent = JSON.stringify(protocol.request(model, { messages: [], tools: list }, {}).body);
      const names = [...sent.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
      expect(names).toEqual(list.map(({ name }) => name));
    }
  });

  test("gets its own signatures back", () => {
    const own = dialects.find(({ model: from }) => from === model) as Dialect;
    const blocks: Said[] = [
      { kind: "thinking", text: "Hm", isSigned: true },
      { kind: "call", text: "a", isSigned: true },
    ];
    const answer = own.answer(blocks, { mark: (index) => `mark${index}`, call: (index) => `call${index}` });
    const { api, provider, id } = model;
    const messages = [{ role: "assistant", content: answer, api, provider, model: id } as never];
    const shown = JSON.stringify(protocol.request(model, { messages }, {}).body);
    // Each API signs one kind or the other.
    expect(shown).toMatch(/mark0|"thought_?signature":"mark1/i);
  });
});

/** Input that is not blank, because omitted blocks cannot be a prefix. */
function isInput(message: ProviderMessage | undefined): boolean {
  if (message?.role === "toolResult") return true;
  return message?.role === "user" && typeof message.content === "string" && message.content.trim() !== "";
}

/** A request as one list, without cache marks. */
function blocksOf(body: object): unknown[] {
  const plain = JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));
  const turns: { role?: string; content?: unknown; parts?: unknown[] }[] =
    plain.messages ?? plain.input ?? plain.contents ?? plain.prompt;
  return turns.flatMap(({ role, content, parts, ...turn }) => {
    const blocks = parts ?? (Array.isArray(content) ? content : [content]);
    return blocks.map((block) => ({ role, block, ...turn }));
  });
}

function checkAnthropic({ messages }: Anthropic.MessageCreateParams): string[] {
  expect(messages[0]?.role).toBe("user");
  const ids: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    expect(role).not.toBe(messages[index + 1]?.role as never);
    if (typeof content === "string") throw new Error("a list of blocks was expected");
    expect(content).not.toEqual([]);
    for (const block of content) if (block.type === "text") expect(block.text.trim()).not.toBe("");
    const called = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const answers = messages[index + 1]?.content;
    const answered = Array.isArray(answers) ? answers.slice(0, called.length) : [];
    expect(answered.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))).toEqual(called);
    ids.push(...called);
  }
  const results = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  expect(results.filter(({ type }) => type === "tool_result")).toHaveLength(ids.length);
  return ids;
}

function checkCompletions({ messages }: OpenAI.Chat.Completions.ChatCompletionCreateParams): string[] {
  const ids: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") {
      expect(message.content).not.toBeEmpty();
      continue;
    }
    const called = message.tool_calls?.map(({ id }) => id) ?? [];
    expect(message.content || called.length > 0).toBeTruthy();
    const answers = messages.slice(index + 1, index + 1 + called.length);
    expect(answers.map((answer) => answer.role === "tool" && answer.tool_call_id)).toEqual(called);
    ids.push(...called);
  }
  expect(messages.filter(({ role }) => role === "tool")).toHaveLength(ids.length);
  return ids;
}

function checkResponses({ input }: OpenAI.Responses.ResponseCreateParams): string[] {
  const items = input as (OpenAI.Responses.ResponseInputItem & { role?: string; id?: string; call_id?: string })[];
  const ids: string[] = [];
  const open = new Set<unknown>();
  const reasoning = new Set<unknown>();
  for (const [index, { type = "message", ...item }] of items.entries()) {
    if (type === "reasoning") {
      const next = items[index + 1];
      expect(["message", "function_call", "reasoning"]).toContain(next?.type ?? "message");
      expect(next?.role ?? "assistant").toBe("assistant");
      expect((item as { encrypted_content?: string }).encrypted_content).toBe(`secret-${item.id}`);
      reasoning.add(item.id);
    } else if (item.id !== undefined) {
      const after = item.id.split("-after-")[1];
      if (after !== undefined) expect(reasoning.has(after)).toBe(true);
    }
    if (type === "message") expect((item as { content?: unknown }).content).not.toBeEmpty();
    if (type === "function_call") {
      open.add(item.call_id);
      ids.push(item.call_id as string);
    }
    if (type === "function_call_output") expect(open.delete(item.call_id)).toBe(true);
  }
  expect([...open]).toEqual([]);
  return ids;
}

function checkBridge({ prompt }: { prompt: { role: string; content: Record<string, unknown>[] }[] }): string[] {
  const ids: string[] = [];
  for (const [index, { role, content }] of prompt.entries()) {
    expect(role).not.toBe(prompt[index + 1]?.role as never);
    expect(content).not.toEqual([]);
    const called = content.flatMap(({ type, toolCallId }) => (type === "tool-call" ? [toolCallId] : []));
    if (called.length > 0)
      expect(prompt[index + 1]).toMatchObject({ role: "tool", content: called.map((toolCallId) => ({ toolCallId })) });
    if (role === "tool")
      expect(content).toHaveLength(prompt[index - 1]?.content.filter(({ type }) => type === "tool-call").length ?? 0);
    ids.push(...(called as string[]));
  }
  return ids;
}

function checkGoogle({ contents }: { contents: Content[] }): string[] {
  expect(contents[0]?.role).toBe("user");
  expect(contents.at(-1)?.role).toBe("user");
  const ids: string[] = [];
  for (const [index, { role, parts = [] }] of contents.entries()) {
    const next = contents[index + 1];
    expect(parts).not.toEqual([]);
    for (const part of parts)
      if (part.text !== undefined) expect(part.text.trim() || part.thoughtSignature).toBeTruthy();
    const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    // Only a user message after results makes two turns of one side.
    if (role === next?.role) expect(answers).toHaveLength(parts.length);
    const called = parts.flatMap(({ functionCall }) => functionCall?.id ?? []);
    if (called.length > 0) {
      expect(role).toBe("model");
      expect(next?.parts?.map(({ functionResponse }) => functionResponse?.id)).toEqual(called);
    }
    if (answers.length > 0) expect(contents[index - 1]?.parts?.some(({ functionCall }) => functionCall)).toBe(true);
    ids.push(...called);
  }
  return ids;
}
