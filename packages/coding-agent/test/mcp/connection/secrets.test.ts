import { describe, expect, test } from "bun:test";
import type { ServerSpec } from "../../../src/mcp/config/server-spec.ts";
import { createRedactor } from "../../../src/mcp/connection/secrets.ts";

const common = { name: "s", timeoutMs: 1, callTimeoutMs: 1, secrets: [] };
const web = (url: string, headers: Record<string, string> = {}): ServerSpec => ({
  ...common,
  transport: "http",
  url,
  headers,
  oauth: undefined,
});
const child = (env: Record<string, string>, secrets: string[] = []): ServerSpec => ({
  ...common,
  secrets,
  transport: "stdio",
  command: "x",
  args: [],
  cwd: "/",
  env,
});

describe("messages about a server", () => {
  test.each<[string, ServerSpec, string, string]>([
    [
      "headers",
      web("https://a.example", { a: "Bearer abcdef" }),
      "got Bearer abcdef, so abcdef",
      "got Bearer ***, so ***",
    ],
    ["parameters of the url", web("https://a.example/?key=abcdef"), "GET /?key=abcdef: abcdef", "GET /***: ***"],
    ["its variables", child({ PASSWORD: "abcdefgh" }), "abcdefgh?", "***?"],
    ["variables in arguments", child({}, ["abcdefgh"]), "--key=abcdefgh", "--key=***"],
    ["the longer of two first", child({ A: "abcdefgh", B: "abcdefghij" }), "abcdefghij abcdefgh", "*** ***"],
  ])("redact %s", (_, spec, text, expected) => {
    expect(createRedactor(spec)(text)).toBe(expected);
  });

  test("keep short words, strip control characters, and have a length limit", () => {
    const redact = createRedactor(child({ A: "true" }));
    expect(redact("true \u001b[31mred\u0007")).toBe("true red");
    expect(redact("x".repeat(10_000))).toBe(`${"x".repeat(4_096)}…`);
  });
});
