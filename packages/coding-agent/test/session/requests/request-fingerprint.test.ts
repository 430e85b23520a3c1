import { describe, expect, test } from "bun:test";
import type { RequestPrefix } from "@pintle/ai";
import fc from "fast-check";
import { fingerprintRequest, lossBetween } from "../../../src/session/requests/request-fingerprint.ts";

const size = (piece: unknown) => Buffer.byteLength(JSON.stringify(piece));
const sizes = (pieces: readonly unknown[]) => pieces.reduce<number>((sum, piece) => sum + size(piece), 0);
const loss = (earlier: RequestPrefix, later: RequestPrefix) =>
  lossBetween(fingerprintRequest(earlier), fingerprintRequest(later), later);

const user = (text: string) => ({ role: "user", content: text });
const request: RequestPrefix = {
  tools: [{ name: "edit" }, { name: "read" }],
  system: "You write code.",
  toolChoice: undefined,
  thinking: [{ type: "adaptive" }],
  messages: [user("grüße"), { role: "assistant", content: "hello" }, user("go on")],
};
const inMessages = sizes(request.messages);

const cases: [string, Partial<RequestPrefix>, ReturnType<typeof loss>][] = [
  ["nothing", {}, undefined],
  ["more messages", { messages: [...request.messages, { role: "assistant", content: "done" }] }, undefined],
  ["more text in the last message", { messages: [...request.messages.slice(0, 2), user("go on\n\nnow")] }, undefined],
  [
    "another text in the last message",
    { messages: [...request.messages.slice(0, 2), user("stop")] },
    { layer: "messages", bytes: size(user("go on")), keepsMessages: false },
  ],
  [
    "fewer messages",
    { messages: request.messages.slice(0, 1) },
    { layer: "messages", bytes: sizes(request.messages.slice(1)), keepsMessages: false },
  ],
  [
    "an earlier message",
    { messages: [user("hi"), ...request.messages.slice(1)] },
    { layer: "messages", bytes: inMessages, keepsMessages: false },
  ],
  ["the choice of tools", { toolChoice: "any" }, { layer: "tool_choice", bytes: inMessages, keepsMessages: true }],
  ["thinking", { thinking: [] }, { layer: "thinking", bytes: inMessages, keepsMessages: true }],
  [
    "the system prompt",
    { system: "You write texts." },
    { layer: "system", bytes: size(request.system) + inMessages, keepsMessages: true },
  ],
  [
    "a tool behind the others",
    { tools: [...request.tools, { name: "late" }] },
    { layer: "tools", bytes: size(request.system) + inMessages, keepsMessages: true },
  ],
  [
    "a tool between the others",
    { tools: [{ name: "edit" }, { name: "late" }, { name: "read" }] },
    { layer: "tools", bytes: size({ name: "read" }) + size(request.system) + inMessages, keepsMessages: true },
  ],
];

describe("what is lost when a request differs in", () => {
  test.each(cases)("%s", (_name, change, expected) => {
    expect(loss(request, { ...request, ...change })).toEqual(expected);
  });
});

test("a cache mark is not part of the content, but text that looks like one is", () => {
  const marked = (text: string) => ({ type: "text", text, cache_control: { type: "ephemeral", ttl: "1h" } });
  const plain = (text: string) => ({ type: "text", text });
  const withMessages = (...messages: object[]) => ({ ...request, messages });
  expect(loss(withMessages(marked("a")), withMessages(plain("a"), marked("b")))).toBeUndefined();
  const text = '{"cache_control":{"type":"ephemeral"}}';
  expect(loss(withMessages(plain(text), plain("b")), withMessages(plain("{}"), plain("b")))?.layer).toBe("messages");
});

test("a request that goes on is never a loss, and one that changes a message loses what follows it", () => {
  const messages = fc.array(fc.record({ role: fc.constantFrom<string>("user", "assistant"), content: fc.string() }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(messages, messages, fc.nat(), (sent, added, at) => {
      const earlier = { ...request, messages: sent };
      expect(loss(earlier, { ...request, messages: [...sent, ...added] })).toBeUndefined();
      const changed = at % sent.length;
      const others = sent.with(changed, { role: "other", content: "" });
      expect(loss(earlier, { ...request, messages: [...others, ...added] })).toEqual({
        layer: "messages",
        bytes: sizes(sent.slice(changed)),
        keepsMessages: false,
      });
    }),
  );
});
