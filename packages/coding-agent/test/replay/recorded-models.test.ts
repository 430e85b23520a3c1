import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Model } from "@pintle/ai";
import { anthropic, exchanges, freshDirectory, hello, network, openai, says } from "../support/replay/exchanges.ts";

describe("models", () => {
  test("are restored from the directory in order of first use, without headers and credentials", async () => {
    const directory = freshDirectory();
    const { ask, recordings } = exchanges({ record: directory }, network(hello).fetch);
    expect(recordings.models).toEqual([]);
    const keyed = { ...openai, baseUrl: "https://me:password@acme.test/v1/?key=value", headers: { "x-key": "value" } };
    for (const model of [keyed, anthropic, keyed]) await ask({ model, context: says("hi") });
    expect(exchanges({ replay: directory }).recordings.models).toEqual([openai, anthropic]);
  });

  test("are read from the requests when there is no list", async () => {
    const directory = freshDirectory();
    await exchanges({ record: directory }, network(hello).fetch).ask({ context: says("hi") });
    rmSync(join(directory, "models.json"));
    const { recordings, ask } = exchanges({ replay: directory });
    expect(recordings.models).toEqual([
      expect.objectContaining({
        id: "claude-test",
        provider: "anthropic",
        api: "anthropic-messages",
        contextWindow: 128_000,
      }),
    ]);
    const [model] = recordings.models;
    const { failure } = await ask({ model: { ...(model as Model), maxTokens: 8_000 }, context: says("hi") });
    expect(failure).toBeUndefined();
  });
});
