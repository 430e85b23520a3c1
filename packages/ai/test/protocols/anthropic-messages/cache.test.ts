import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AssistantContent, ImageContent, ProviderMessage, TextContent } from "../../../src/messages.ts";
import type { Model } from "../../../src/model.ts";
import { anthropicMessages } from "../../../src/protocols/anthropic-messages/anthropic-messages.ts";
import type { RequestOptions } from "../../../src/protocols/protocol.ts";
import { AnthropicCache } from "../../support/cache/anthropic-cache.ts";
import { assistantMessage, claude } from "../../support/protocols/anthropic-messages/samples.ts";

const tools = Array.from({ length: 12 }, (_, n) => ({
  name: `tool_${n}`,
  description: `Does ${n}. `.repeat(10),
  parameters: {},
}));
const systemPrompt = "How to work. ".repeat(400);
const image: ImageContent = { type: "image", data: "aGk=", mimeType: "image/png" };
const other: Model = { ...claude, id: "another-model" };

const text = (value: string): TextContent => ({ type: "text", text: value });
const user = (...content: (TextContent | ImageContent)[]): ProviderMessage => ({ role: "user", content, timestamp: 1 });

/** A model's answer, and the results sent back. */
interface Answer {
  by: Model;
  thoughts: number;
  texts: number;
  calls: number;
  /** Results with an image, some of which are errors. */
  images: boolean;
  errors: boolean;
  /** What the user adds. */
  said: number;
}

/** A growing conversation: one request per answer. */
class Growing {
  readonly messages: ProviderMessage[] = [user(text("Begin with all of it"))];
  readonly cache = new AnthropicCache();
  #answers = 0;

  request(model: Model = claude, options: RequestOptions = {}) {
    const context = { systemPrompt, tools, messages: this.messages };
    return this.cache.take(anthropicMessages.request(model, context, options).body);
  }

  add({ by, thoughts, texts, calls, images, errors, said }: Answer): void {
    this.#answers += 1;
    const n = this.#answers;
    const list = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, index) => make(index));
    const content: AssistantContent[] = [
      ...list(thoughts, (index) => ({ type: "thinking" as const, thinking: `${n} ${index}`, thinkingSignature: "s" })),
      ...list(texts, (index) => text(`answer ${n} ${index}`)),
      ...list(calls, (index) => ({ type: "toolCall" as const, id: `c${n}_${index}`, name: "tool_1", arguments: {} })),
    ];
    this.messages.push(assistantMessage(content, by));
    for (let index = 0; index < calls; index += 1) {
      this.messages.push({
        role: "toolResult",
        toolCallId: `c${n}_${index}`,
        toolName: "tool_1",
        content: [text(`result ${n} ${index}`), ...(images && index % 3 === 0 ? [image] : [])],
        isError: errors && index % 2 === 0,
        timestamp: 1,
      });
    }
    for (let index = 0; index < said; index += 1) this.messages.push(user(text(`said ${n} ${index}`)));
    if (calls + said === 0) this.messages.push(user(text(`go on ${n}`)));
  }
}

const plain: Answer = { by: claude, thoughts: 0, texts: 1, calls: 0, images: false, errors: false, said: 1 };

describe("the server reads from its cache", () => {
  test("everything in the previous request, also after an answer with 25 calls", () => {
    const growing = new Growing();
    const first = growing.request();
    expect(first).toMatchObject({ read: 0, written: first.total });
    growing.add(plain);
    const second = growing.request();
    growing.add({ ...plain, thoughts: 2, calls: 25, said: 0 });
    const third = growing.request();
    growing.add({ ...plain, calls: 3, images: true, said: 0 });
    const fourth = growing.request();
    expect([second.read, third.read, fourth.read]).toEqual([first.total, second.total, third.total]);
  });

  test("what the model had in its last request, while another one answered", () => {
    const growing = new Growing();
    growing.add({ ...plain, calls: 30, said: 0 });
    const before = growing.request();
    growing.add(plain);
    for (let turn = 0; turn < 5; turn += 1) {
      growing.request(other);
      growing.add({ ...plain, by: other, calls: 20, said: 0 });
    }
    expect(growing.request().read).toBe(before.total);
  });

  test("everything, in any conversation", () => {
    const answer: fc.Arbitrary<Answer> = fc.record({
      by: fc.constantFrom(claude, claude, other),
      thoughts: fc.integer({ min: 0, max: 3 }),
      texts: fc.integer({ min: 1, max: 3 }),
      calls: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 60 })),
      images: fc.boolean(),
      errors: fc.boolean(),
      said: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 12 }), (answers) => {
        const growing = new Growing();
        const sent = new Map<Model, number>();
        for (const next of answers) {
          const reading = growing.request(next.by);
          expect(reading.read).toBe(sent.get(next.by) ?? 0);
          expect(reading.fresh).toBe(0);
          sent.set(next.by, reading.total);
          growing.add(next);
        }
      }),
    );
  });

  test("at least tools and system prompt, whatever changes in the messages", () => {
    const head = new Growing().request().total;
    for (const options of [
      { thinkingLevel: "high" as const },
      { toolChoice: { name: "tool_1" } },
      { toolChoice: "none" as const },
    ]) {
      const growing = new Growing();
      growing.request();
      growing.add(plain);
      const { read } = growing.request(claude, options);
      expect(read).toBeGreaterThan(head - 50);
      expect(read).toBeLessThan(head);
    }
  });
});
