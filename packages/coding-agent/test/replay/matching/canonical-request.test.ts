import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createMask } from "../../../src/replay/masking/mask.ts";
import { canonicalRequest, formatRequest, requestKey } from "../../../src/replay/matching/canonical-request.ts";
import { requestPlaces } from "../../../src/replay/matching/places.ts";
import { anthropic } from "../../support/replay/exchanges.ts";

interface Options {
  cwd?: string;
  url?: string;
  baseUrl?: string;
  sessionId?: string;
  rules?: { pattern: RegExp; replace: string }[];
}

function canonical(
  body: unknown,
  { cwd = "/srv/a", url, baseUrl = "https://api.test", sessionId, rules }: Options = {},
) {
  const mask = createMask({ secrets: [], places: requestPlaces({ cwd, home: "/home/x/.pintle" }) });
  const sent = { model: { ...anthropic, baseUrl }, url: url ?? `${baseUrl}/v1/messages`, body, sessionId };
  return canonicalRequest(sent, mask, rules ?? []);
}

const bodyOf = (body: unknown, options?: Options) => canonical(body, options).body;

describe("canonical request", () => {
  test("depends on the content, not on the order of keys", () => {
    const value = fc.jsonValue({ maxDepth: 4 }).filter((json) => typeof json === "object" && json !== null);
    fc.assert(
      fc.property(value, (body) => {
        const key = requestKey(canonical(body));
        expect(requestKey(canonical(reversed(body)))).toBe(key);
        expect(requestKey(canonical({ body, more: 1 }))).not.toBe(key);
      }),
    );
  });

  test("is its own canonical form", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (body) => {
        const once = canonical(body);
        expect(JSON.parse(formatRequest(once))).toEqual(JSON.parse(JSON.stringify(once)));
        expect(formatRequest(canonical(once.body))).toBe(formatRequest(once));
      }),
    );
  });

  test("omits directories, dates, times and ids of a run", () => {
    const text = (cwd: string, day: string, at: string, uuid: string) =>
      `in ${cwd}/src and /home/x/.pintle since ${day}, ${day}T10:20:30.123Z or ${at}; ${uuid} shows pa_7`;
    const first = bodyOf(
      {
        text: text("/srv/a", "2026-01-02", "1767000000000", "0f6b2f3e-1b9e-4c57-9a5b-000000000001"),
        at: 1767000000001,
      },
      { cwd: "/srv/a" },
    );
    const second = bodyOf(
      {
        at: 1790000000002,
        text: text("/srv/b", "2027-11-30", "1790000000000", "AAAAAAAA-1b9e-4c57-9a5b-000000000002"),
      },
      { cwd: "/srv/b" },
    );
    const expected = "in <cwd>/src and <home> since <time>, <time> or <time>; <id:1> shows <id:2>";
    expect(first).toEqual({ at: "<time>", text: expected });
    expect(second).toEqual(first);
  });

  test("does not depend on the machine", () => {
    const system = (line: string) => ({ system: `Be brief.\n${line}\nCurrent working directory: /srv` });
    expect(bodyOf(system("Operating system: Linux (x64), shell: bash"))).toEqual(
      bodyOf(system("Operating system: macOS (arm64), shell: zsh")),
    );
  });

  test("keeps numbers that are not times", () => {
    const body = { max: 9007199254740991, text: "123456789012345 and 10.1767000000000 and 2026-99-99", n: 1767 };
    expect(bodyOf(body)).toEqual(body);
  });

  test("keeps calls and results linked, also where a text mentions them", () => {
    const body = (a: string, b: string) => ({
      messages: [
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: a, input: { id: "42" } },
            { type: "tool_use", id: b, input: {} },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: b, content: `output of ${a} is kept` }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: a, content: "" }] },
      ],
    });
    const result = bodyOf(body("toolu_first", "toolu_second"));
    expect(result).toEqual(body("<id:1>", "<id:2>"));
    expect(bodyOf(body("call_99", "call_17"))).toEqual(result);
    const swapped = body("toolu_first", "toolu_second");
    swapped.messages.reverse();
    expect(bodyOf(swapped)).not.toEqual(result);
  });

  test("replaces the session id consistently, wherever it appears", () => {
    expect(bodyOf({ metadata: { user: "session-abc" } }, { sessionId: "session-abc" })).toEqual({
      metadata: { user: "<id:1>" },
    });
  });

  test("treats signatures and encrypted thoughts as opaque, and omits cache controls", () => {
    const body = {
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
      content: [
        { type: "thinking", thinking: "hm", signature: "c2ln" },
        { type: "redacted_thinking", data: "eHg=" },
        { type: "image", data: "aWltYWdl", cache_control: { type: "ephemeral" } },
        { thoughtSignature: "x", args: { signature: "of a tool" } },
        { encrypted_content: "x" },
      ],
    };
    expect(bodyOf(body)).toEqual({
      content: [
        { type: "thinking", thinking: "hm", signature: "<opaque>" },
        { type: "redacted_thinking", data: "<opaque>" },
        { type: "image", data: "aWltYWdl" },
        { thoughtSignature: "<opaque>", args: { signature: "of a tool" } },
        { encrypted_content: "<opaque>" },
      ],
    });
  });

  test("identifies an image by its digest", () => {
    const picture = (byte: number) => ({ data: Buffer.alloc(3000, byte).toString("base64") });
    const text = JSON.stringify(bodyOf(picture(1)));
    expect(text).toMatch(/^\{"data":"<base64 4000 characters, sha256 [0-9a-f]{16}>"\}$/);
    expect(JSON.stringify(bodyOf(picture(2)))).not.toBe(text);
  });

  test("does not include the server's address", () => {
    const paths = [
      { baseUrl: "https://api.test", url: "https://api.test/v1/messages" },
      { baseUrl: "https://proxy.test/deep/v1/", url: "https://proxy.test/deep/v1/messages?key=1" },
      { baseUrl: "nonsense", url: "https://api.test/v1/messages" },
    ].map((place) => canonical({}, place).path);
    expect(paths).toEqual(["/messages", "/messages", "/messages"]);
    const google = { baseUrl: "https://g.test", url: "https://g.test/v1beta/models/m:streamGenerateContent?alt=sse" };
    expect(canonical({}, google).path).toBe("/models/m:streamGenerateContent");
  });

  test("applies the user's rules last", () => {
    const rules = [{ pattern: /took \d+ ms/g, replace: "took <n> ms" }];
    expect(bodyOf({ text: "took 17 ms, took 4 ms in /srv/a" }, { rules })).toEqual({
      text: "took <n> ms, took <n> ms in <cwd>",
    });
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}
