import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThinkingLevel } from "@pintle/ai";
import {
  type CachedAnswer,
  type CachingServer,
  startCachingAnthropic,
} from "../../../ai/test/support/cache/caching-server.ts";
import * as anthropic from "../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { createAgentSession } from "../../src/sdk.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { freshPlace } from "../support/session/test-session.ts";

const says = (text: string) =>
  anthropic.answer("end_turn", anthropic.thinkingBlock(0, "a thought", "sig"), anthropic.textBlock(1, text));

/** An answer that reads a file many times at once. */
function reads(name: string, times: number): string {
  const calls = Array.from({ length: times }, (_, index) => {
    const args = JSON.stringify({ path: name, offset: index + 1, limit: 1 });
    const start = anthropic.toolStart(index + 1, `toolu_${name.length}_${times}_${index}`, "read");
    return start + anthropic.toolInput(index + 1, args) + anthropic.blockStop(index + 1);
  });
  return anthropic.answer("tool_use", anthropic.thinkingBlock(0, "look at all", "sig"), ...calls);
}

async function start(server: CachingServer, level: ThinkingLevel = "medium"): Promise<AgentSession> {
  const place = freshPlace();
  const models = [{ id: "m", reasoning: true, input: ["text", "image"] }];
  const providers = { local: { baseUrl: server.url, api: "anthropic-messages", auth: "none", models } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers }));
  writeFileSync(join(place.cwd, "a.txt"), Array.from({ length: 40 }, (_, n) => `line ${n} of the file\n`).join(""));
  writeFileSync(join(place.cwd, "p.png"), Buffer.from(PIXEL, "base64"));
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home },
    flags: { model: "local/m", thinking: level },
  });
  return session;
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Every request read all that the one before it had. */
function expectAllRead({ readings }: CachingServer): void {
  expect(readings.slice(1).map(({ read }) => read)).toEqual(readings.slice(0, -1).map(({ total }) => total));
}

async function play(answers: readonly CachedAnswer[], prompts: readonly string[]) {
  const server = await startCachingAnthropic(answers);
  const session = await start(server);
  for (const prompt of prompts) await session.prompt(prompt);
  return { server, session };
}

test("a conversation with 25 calls at once, images and thoughts is read from the cache, request by request", async () => {
  const { server, session } = await play(
    [says("hello"), reads("a.txt", 25), reads("p.png", 3), says("done"), reads("a.txt", 40), says("end")],
    ["one", "two", "three"],
  );
  await using _server = server;
  expect(server.readings).toHaveLength(6);
  expectAllRead(server);
  const { tokens } = session.getSessionStats();
  expect(tokens.cacheRead).toBe(server.readings.reduce((sum, { read }) => sum + read, 0));
  await session.dispose();
});
