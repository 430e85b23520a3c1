import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createMask } from "../../../src/replay/masking/mask.ts";
import { maskEvents } from "../../../src/replay/recording/mask-events.ts";
import { credentialsOf } from "../../../src/replay/recordings.ts";
import {
  allText,
  anthropic,
  claudeSays,
  exchanges,
  freshDirectory,
  hello,
  network,
  says,
} from "../../support/replay/exchanges.ts";

const delta = (index: number, text: string) => ({ t: 0, data: JSON.stringify({ index, delta: { text } }) });

test("reads interleaved blocks separately", () => {
  const mask = createMask({ secrets: ["secret-word"], places: new Map() });
  const events = [
    delta(0, "a secret"),
    delta(1, "secret"),
    delta(0, "-word b"),
    delta(1, "ary"),
    { t: 0, data: "[DONE]" },
  ];
  expect(maskEvents(events, mask)).toEqual([
    delta(0, "a <secret>"),
    delta(1, "secret"),
    delta(0, " b"),
    delta(1, "ary"),
    { t: 0, data: "[DONE]" },
  ]);
});

test("recognizes every secret that a request contains", () => {
  const headers = {
    Authorization: "Bearer one",
    "x-goog-api-key": "two",
    cookie: "three",
    "anthropic-version": "2023-06-01",
  };
  const found = credentialsOf({ headers }, { apiKey: "of a signature" });
  expect(found.toSorted()).toEqual(["Bearer one", "of a signature", "three", "two"]);
});

describe("secrets", () => {
  test("are in no file, wherever they appeared", async () => {
    const key = fc.stringMatching(/^[A-Za-z0-9"\\/+=$ é-]{12,40}$/).filter((text) => text.trim().length >= 12);
    const place = fc.constantFrom(
      "system",
      "user",
      "argument",
      "name",
      "result",
      "answer",
      "call",
      "error",
      "header",
      "address",
    );
    await fc.assert(
      fc.asyncProperty(
        key,
        fc.array(place, { minLength: 1 }),
        fc.integer({ min: 1, max: 12 }),
        async (secret, where, piece) => {
          const directory = freshDirectory();
          const put = (name: string) => (where.includes(name as never) ? `before ${secret} after` : "nothing");
          const steps = [
            { text: put("answer") },
            { call: "bash", args: JSON.stringify({ command: put("call") }), id: "toolu_1" },
          ];
          const error = {
            status: 400,
            body: JSON.stringify({ error: { message: put("error") } }),
            headers: { "content-type": "application/json" },
          };
          const live = exchanges(
            { record: directory, secrets: () => [secret] },
            network(
              {
                body: claudeSays(steps, piece),
                headers: { "x-request-id": secret, "x-ratelimit-tier": encodeURIComponent(put("header")) },
              },
              error,
            ).fetch,
          );
          const baseUrl = where.includes("address")
            ? `https://u:${encodeURIComponent(secret)}@h.test/${encodeURIComponent(secret)}`
            : "https://h.test";
          const model = { ...anthropic, baseUrl, headers: { "x-team": "words" } };
          const message = {
            timestamp: 1,
            usage: {} as never,
            api: model.api,
            provider: model.provider,
            model: model.id,
          };
          const context = {
            systemPrompt: put("system"),
            messages: [
              { role: "user" as const, content: put("user"), timestamp: 1 },
              {
                ...message,
                role: "assistant" as const,
                stopReason: "toolUse" as const,
                content: [
                  {
                    type: "toolCall" as const,
                    id: "toolu_0",
                    name: "bash",
                    arguments: { [put("name")]: put("argument") },
                  },
                ],
              },
              {
                role: "toolResult" as const,
                toolCallId: "toolu_0",
                toolName: "bash",
                isError: false,
                timestamp: 1,
                content: [{ type: "text" as const, text: put("result") }],
              },
            ],
          };
          for (const _ of [1, 2]) await live.ask({ model, context, options: { apiKey: "key-of-the-request-77" } });
          const stored = allText(directory);
          expect(stored).toContain(".stream.jsonl");
          for (const spelled of spellings(secret)) expect(stored).not.toContain(spelled);
          expect(stored).not.toContain("key-of-the-request-77");
          expect(joinedDeltas(stored)).not.toContain(secret);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("are masked in the error text of a broken connection", async () => {
    const directory = freshDirectory();
    const breaks = { code: "ENOTFOUND", message: "no host at https://u:the-password-1@h.test" };
    const live = exchanges({ record: directory, secrets: () => ["the-password-1"] }, network({ breaks }).fetch);
    await live.ask({ context: says("hi") });
    expect(allText(directory)).toContain("no host at https://u:<secret>@h.test");
  });

  test("in a header are recognized automatically, but not its other words", async () => {
    const directory = freshDirectory();
    const model = { ...anthropic, headers: { "X-Proxy-Token": "proxy-token-value", "X-Team": "team-of-words" } };
    const live = exchanges({ record: directory }, network(hello).fetch);
    await live.ask({
      model,
      context: says("proxy-token-value of team-of-words"),
      options: { apiKey: "my-own-api-key" },
    });
    expect(allText(directory)).toContain("<secret> of team-of-words");
    expect(allText(directory)).not.toMatch(/proxy-token-value|my-own-api-key|X-Team/i);
  });
});

/** The forms in which a secret may appear in a file. */
function spellings(secret: string): string[] {
  const once = JSON.stringify(secret).slice(1, -1);
  return [secret, once, JSON.stringify(once).slice(1, -1), encodeURIComponent(secret)];
}

/** Joins the deltas of all recorded answers. */
function joinedDeltas(stored: string): string {
  return [...stored.matchAll(/"data":("(?:[^"\\]|\\.)*")/g)]
    .map(([, data]) => {
      const { delta } = (JSON.parse(JSON.parse(data as string)) ?? {}) as { delta?: Record<string, string> };
      return delta?.text ?? delta?.partial_json ?? "";
    })
    .join("");
}
