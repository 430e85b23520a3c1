import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThinkingLevel } from "@pintle/ai";
import {
  type CachedAnswer,
  type CachingServer,
  startCachingAnthropic,
} from "../../../ai/test/support/cache/caching-server.ts";
import { sendEvents, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import * as anthropic from "../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import * as responses from "../../../ai/test/support/protocols/openai-responses/samples.ts";
import { createAgentSession } from "../../src/sdk/create-session.ts";
import type { CreateAgentSessionOptions } from "../../src/sdk/options.ts";
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

/** An answer that is one call. */
function calls(name: string, args: object): string {
  const call = anthropic.toolStart(0, `toolu_${name}`, name) + anthropic.toolInput(0, JSON.stringify(args));
  return anthropic.answer("tool_use", call + anthropic.blockStop(0));
}

async function start(server: CachingServer, level: ThinkingLevel = "medium"): Promise<AgentSession> {
  const place = freshPlace();
  const models = [{ id: "m", reasoning: true, input: ["text", "image"] }];
  const providers = { local: { baseUrl: server.url, api: "anthropic-messages", auth: "none", models } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers }));
  writeFileSync(join(place.cwd, "a.txt"), Array.from({ length: 40 }, (_, n) => `line ${n} of the file\n`).join(""));
  writeFileSync(join(place.cwd, "b.js"), "log(1);\n");
  writeFileSync(join(place.cwd, "p.png"), Buffer.from(PIXEL, "base64"));
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home },
    flags: { model: "local/m", thinking: level },
  });
  return session;
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Checks that every request read all of the previous one from the cache. */
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

const preview = calls("ast_edit", { ops: [{ pat: "log($A)", out: "say($A)" }], path: "b.js" });
const apply = calls("resolve", { action: "apply", reason: "as asked" });
const choices = ({ requests }: CachingServer) => requests.map(({ body }) => body.tool_choice);

test("a preview is decided without a forced choice, which would cost the cache of the conversation", async () => {
  const { server, session } = await play([says("hello"), preview, apply, says("done")], ["one", "two"]);
  await using _server = server;
  expect(choices(server)).toEqual([undefined, undefined, undefined, undefined]);
  expectAllRead(server);
  expect(readFileSync(join(session.cwd, "b.js"), "utf8")).toBe("say(1);\n");
  await session.dispose();
});

test("a model that does not decide is forced, and only then", async () => {
  const { server, session } = await play([preview, says("looks fine"), apply, says("done")], ["one"]);
  await using _server = server;
  expect(choices(server)).toEqual([undefined, undefined, { type: "tool", name: "resolve" }, undefined]);
  expect(readFileSync(join(session.cwd, "b.js"), "utf8")).toBe("say(1);\n");
  // What was stored before the forced request is still found after it.
  const [, second, third, fourth] = server.readings;
  expect(third!.read).toBeLessThan(second!.read);
  expect(fourth!.read).toBe(second!.total);
  await session.dispose();
});

test("copies of a conversation share the key of the one they began with, at any address of the Responses API", async () => {
  await using server = await startLoopbackServer(sendEvents(responses.answer(responses.message(0, ["ok"]))));
  const place = freshPlace();
  const models = [{ id: "m" }];
  const providers = { proxy: { baseUrl: `${server.url}/v1`, api: "openai-responses", auth: "none", models } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers }));
  const open = (more: Partial<CreateAgentSessionOptions> = {}) =>
    createAgentSession({
      cwd: place.cwd,
      env: { PINTLE_HOME: place.home },
      flags: { model: "proxy/m" },
      noTools: "all",
      ...more,
    });
  const { session } = await open();
  await session.prompt("one");
  const first = session.sessionId;
  await session.changes.clone();
  await session.prompt("two");
  const [second] = session.manager.path().filter(({ type }) => type === "message");
  await session.changes.branch(second!.id);
  await session.prompt("three");
  const copy = session.sessionFile as string;
  await session.changes.newSession();
  await session.prompt("four");
  const fresh = session.sessionId;
  await session.dispose();
  const { session: resumed } = await open({ session: { fork: copy } });
  await resumed.prompt("five");
  await resumed.dispose();
  const keys = server.requests.map(({ body }) => body.prompt_cache_key);
  expect(keys).toEqual([first, first, first, fresh, first]);
});
