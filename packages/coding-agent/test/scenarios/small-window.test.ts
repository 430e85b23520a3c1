import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { type Respond, sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

// A server with a small window, as people run on their own machines, with default settings.

const BYTES_PER_TOKEN = 4;
const words = (tokens: number) => "word".padEnd(tokens * BYTES_PER_TOKEN, " xyz");

/** The number of tokens that the server counts for a request. */
function tokensOf({ messages, tools }: { messages: unknown; tools?: unknown }): number {
  return Math.ceil(JSON.stringify([messages, tools ?? []]).length / BYTES_PER_TOKEN);
}

function refusing(window: number): Respond {
  const refuse = sendStatus(400, JSON.stringify({ error: { message: `maximum context length is ${window} tokens` } }));
  return (response, request, socket) => {
    const isTooLong = tokensOf(request.body) > window;
    return (isTooLong ? refuse : says(words(300)))(response, request, socket);
  };
}

test.each([6_144, 8_192, 16_384, 20_000, 32_768])(
  "a window of %i tokens: twenty prompts are answered",
  async (window) => {
    await using chat = await chatPlace(refusing(window));
    const home = chat.place.env.PINTLE_HOME as string;
    const models = [{ id: "m", contextWindow: window, maxTokens: 1_000 }];
    const providers = { local: { baseUrl: chat.server.url, api: "openai-completions", auth: "none", models } };
    writeFileSync(join(home, "models.json"), JSON.stringify({ providers }));
    await using rpc = await startRpc(CHAT, chat.place);
    for (let n = 0; n < 20; n += 1) await rpc.prompt(`${n} ${words(window / 20)}`);
    expect(await rpc.end()).toBe(0);
    const ends = rpc.frames.filter(({ type }) => type === "agent_end").map(({ stopReason }) => stopReason);
    expect(ends).toEqual(Array.from({ length: 20 }, () => "stop"));
    const compactions = rpc.frames.filter(({ type }) => type === "auto_compaction_end");
    expect(compactions.length).toBeGreaterThan(0);
    expect(compactions.filter(({ skipped, errorMessage }) => skipped || errorMessage)).toEqual([]);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  },
);
