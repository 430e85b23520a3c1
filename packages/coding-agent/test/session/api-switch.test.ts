import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import {
  type LoopbackServer,
  type ReceivedRequest,
  sendEvents,
  startLoopbackServer,
} from "../../../ai/test/support/loopback-server.ts";
import * as anthropic from "../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import * as google from "../../../ai/test/support/protocols/google-generative-ai/samples.ts";
import * as completions from "../../../ai/test/support/protocols/openai-completions/samples.ts";
import * as responses from "../../../ai/test/support/protocols/openai-responses/samples.ts";
import { createAgentSession } from "../../src/sdk/create-session.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { freshPlace } from "../support/session/test-session.ts";

/** A simulated vendor: thinks and calls a tool, or thinks and answers. Every thought contains a unique mark. */
interface Vendor {
  provider: string;
  model: string;
  /** Its signature, which is opaque to all other vendors. */
  mark: string;
  /** Whether the conversation ends with the result of a tool. */
  hasResult(body: ReceivedRequest["body"]): boolean;
  call(mark: string, id: string): string;
  say(mark: string, text: string): string;
  /** Calls and results of the request, in order. */
  pairs(body: ReceivedRequest["body"]): { calls: string[]; results: string[] };
}

const SAID = { path: "a.txt" };
const args = JSON.stringify(SAID);

const vendors: Record<string, Vendor> = {
  "anthropic-messages": {
    provider: "anthropic",
    model: "claude-haiku-4-5",
    mark: "ANT",
    hasResult: ({ messages }) => messages.at(-1).content[0].type === "tool_result",
    call: (mark, id) =>
      anthropic.answer(
        "tool_use",
        anthropic.thinkingBlock(0, "thought of Anthropic", mark),
        anthropic.toolStart(1, `toolu_${id}`, "look") + anthropic.toolInput(1, args) + anthropic.blockStop(1),
      ),
    say: (mark, text) =>
      anthropic.answer(
        "end_turn",
        anthropic.thinkingBlock(0, "thought of Anthropic", mark),
        anthropic.textBlock(1, text),
      ),
    pairs: ({ messages }) => {
      const blocks = messages.flatMap(({ content }: { content: { type: string }[] }) => content);
      return {
        calls: blocks.flatMap((block: { type: string; id: string }) => (block.type === "tool_use" ? block.id : [])),
        results: blocks.flatMap((block: { type: string; tool_use_id: string }) =>
          block.type === "tool_result" ? block.tool_use_id : [],
        ),
      };
    },
  },
  "openai-responses": {
    provider: "openai",
    model: "gpt-6-sol",
    mark: "OAI",
    hasResult: ({ input }) => input.at(-1).type === "function_call_output",
    call: (mark) =>
      responses.answer(responses.reasoning(0, ["thought of OpenAI"], mark), responses.call(1, "look", args)),
    say: (mark, text) =>
      responses.answer(responses.reasoning(0, ["thought of OpenAI"], mark), responses.message(1, [text])),
    pairs: ({ input }) => ({
      calls: input.flatMap((item: { type: string; call_id: string }) =>
        item.type === "function_call" ? item.call_id : [],
      ),
      results: input.flatMap((item: { type: string; call_id: string }) =>
        item.type === "function_call_output" ? item.call_id : [],
      ),
    }),
  },
  "google-generative-ai": {
    provider: "google",
    model: "gemini-3.8-flash",
    mark: "GOO",
    hasResult: ({ contents }) => contents.at(-1).parts[0].functionResponse !== undefined,
    call: (mark, id) =>
      google.chunk({ text: "thought of Google", thought: true }) +
      google.chunk({ functionCall: { name: "look", args: SAID, id }, thoughtSignature: mark }) +
      google.last("STOP"),
    say: (mark, text) =>
      google.chunk({ text: "thought of Google", thought: true }) +
      google.chunk({ text }) +
      google.last("STOP", [{ text: "", thoughtSignature: mark }]),
    pairs: ({ contents }) => {
      const parts = contents.flatMap((turn: { parts: object[] }) => turn.parts);
      return {
        calls: parts.flatMap((part: { functionCall?: { id: string } }) => part.functionCall?.id ?? []),
        results: parts.flatMap((part: { functionResponse?: { id: string } }) => part.functionResponse?.id ?? []),
      };
    },
  },
  "openai-completions": {
    provider: "deepseek",
    model: "deepseek-v4-pro",
    mark: "DSK",
    hasResult: ({ messages }) => messages.at(-1).role === "tool",
    call: (mark, id) =>
      completions.answer(
        "tool_calls",
        completions.chunk({ reasoning_content: `thought of DeepSeek ${mark}` }),
        completions.call({ index: 0, id: `call_${id}`, name: "look", args }),
      ),
    say: (mark, text) =>
      completions.answer(
        "stop",
        completions.chunk({ reasoning_content: `thought of DeepSeek ${mark}` }),
        completions.text(text),
      ),
    pairs: ({ messages }) => ({
      calls: messages.flatMap(({ tool_calls = [] }: { tool_calls?: { id: string }[] }) =>
        tool_calls.map(({ id }) => id),
      ),
      results: messages.flatMap(({ tool_call_id: id }: { tool_call_id?: string }) => id ?? []),
    }),
  },
};

const PATHS: Record<string, string> = {
  "/anthropic/v1/messages": "anthropic-messages",
  "/openai/responses": "openai-responses",
  "/deepseek/chat/completions": "openai-completions",
  "/google/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse": "google-generative-ai",
};
const APIS = Object.keys(vendors);

interface Exchange {
  api: string;
  body: ReceivedRequest["body"];
  mark: string;
}

/** All four vendors behind one address, with the requests that each received. */
async function startVendors(): Promise<{ server: LoopbackServer; exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  const server = await startLoopbackServer(async (response, request, socket) => {
    const api = PATHS[request.path] ?? "";
    const vendor = vendors[api] as Vendor;
    const number = exchanges.length + 1;
    const mark = `${vendor.mark}-${number}-`;
    exchanges.push({ api, body: request.body, mark });
    const events = vendor.hasResult(request.body)
      ? vendor.say(mark, `answer ${number}`)
      : vendor.call(mark, `${number}`);
    await sendEvents(events)(response, request, socket);
  });
  return { server, exchanges };
}

/** A session that reaches them through models.json alone; its only tool reports when it is used. */
async function startSession(server: LoopbackServer, onLook: (session: AgentSession) => Promise<void> = async () => {}) {
  const place = freshPlace();
  const providers = Object.fromEntries(
    Object.values(vendors).map(({ provider }) => [
      provider,
      { baseUrl: `${server.url}/${provider}`, apiKey: `key-of-${provider}` },
    ]),
  );
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers }));
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home },
    flags: { model: "anthropic/claude-haiku-4-5", thinking: "medium" },
    tools: ["look"],
    rules: false,
    agentTools: [
      {
        name: "look",
        label: "look",
        description: "Looks at a file.",
        parameters: Type.Object({ path: Type.String() }),
        execute: async ({ path }) => {
          await onLook(session);
          return { content: [{ type: "text", text: `content of ${path}` }] };
        },
      },
    ],
  });
  return session;
}

async function use(session: AgentSession, api: string): Promise<void> {
  const { provider, model } = vendors[api] as Vendor;
  await session.models.discoverAndSet(provider, model);
}

/** Every API got a whole conversation: all calls paired, its own signatures, and no others. */
function checkExchanges(exchanges: readonly Exchange[]): void {
  exchanges.forEach(({ api, body }, index) => {
    const earlier = exchanges.slice(0, index);
    const text = JSON.stringify(body);
    const { calls, results } = (vendors[api] as Vendor).pairs(body);
    expect(results).toEqual(calls);
    expect(new Set(calls).size).toBe(calls.length);
    const sent = (other: string) => new RegExp(`${(vendors[other] as Vendor).mark}-\\d+-`, "g");
    const own = earlier.filter((exchange) => exchange.api === api).map(({ mark }) => mark);
    expect([...new Set(text.match(sent(api)) ?? [])]).toEqual(own);
    // Unsigned thoughts of DeepSeek may be sent to other vendors; signed ones may not.
    for (const other of APIS)
      if (other !== api && other !== "openai-completions") expect(text).not.toMatch(sent(other));
  });
}

test("a conversation continues with any of the four APIs after any other", async () => {
  const { server, exchanges } = await startVendors();
  await using _stop = server;
  const session = await startSession(server);
  const order = [...APIS, ...APIS.toReversed(), ...APIS];
  for (const [step, api] of order.entries()) {
    await use(session, api);
    await session.prompt(`step ${step}`);
  }
  const said = session.messages.filter((message) => message.role === "assistant");
  expect(said.map(({ stopReason, api }) => `${api} ${stopReason}`)).toEqual(
    order.flatMap((api) => [`${api} toolUse`, `${api} stop`]),
  );
  expect(exchanges.map(({ api }) => api)).toEqual(order.flatMap((api) => [api, api]));
  checkExchanges(exchanges);
  const last = exchanges.at(-1)?.body;
  expect((vendors["openai-completions"] as Vendor).pairs(last).calls).toHaveLength(order.length);
  await session.dispose();
});

test("and in the middle of a run: who reads a tool's result need not be who asked for it", async () => {
  const { server, exchanges } = await startVendors();
  await using _stop = server;
  let next = 0;
  const session = await startSession(server, async (running) => {
    next += 1;
    await use(running, APIS[next % APIS.length] as string);
  });
  for (let step = 0; step < 2 * APIS.length; step += 1) await session.prompt(`step ${step}`);
  expect(exchanges.map(({ api }) => api)).toEqual(
    Array.from({ length: 4 * APIS.length }, (_, index) => APIS[Math.ceil(index / 2) % APIS.length] as string),
  );
  checkExchanges(exchanges);
  await session.dispose();
});

test("each request is made as its API and its user want it", async () => {
  const { server, exchanges } = await startVendors();
  await using _stop = server;
  const session = await startSession(server);
  for (const api of APIS) {
    await use(session, api);
    await session.prompt("go");
  }
  const headers = server.requests.map(
    ({ headers: sent }) => sent["x-api-key"] ?? sent["x-goog-api-key"] ?? sent.authorization,
  );
  expect(headers.filter((_, index) => index % 2 === 0)).toEqual([
    "key-of-anthropic",
    "Bearer key-of-openai",
    "key-of-google",
    "Bearer key-of-deepseek",
  ]);
  const [claude, gpt, gemini, deepseek] = exchanges.filter((_, index) => index % 2 === 1).map(({ body }) => body);
  expect(claude.thinking).toEqual({ type: "enabled", budget_tokens: 8192 });
  expect(gpt.reasoning).toEqual({ effort: "medium", summary: "auto" });
  expect(gemini.generationConfig.thinkingConfig).toEqual({ includeThoughts: true, thinkingLevel: "MEDIUM" });
  expect(deepseek).toMatchObject({ thinking: { type: "enabled" }, reasoning_effort: "medium" });
  await session.dispose();
});
