import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ReceivedRequest, sendEvents, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import * as anthropic from "../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import * as google from "../../../ai/test/support/protocols/google-generative-ai/samples.ts";
import * as completions from "../../../ai/test/support/protocols/openai-completions/samples.ts";
import * as responses from "../../../ai/test/support/protocols/openai-responses/samples.ts";
import { createAgentSession } from "../../src/sdk/create-session.ts";
import { repository } from "../support/program.ts";
import { firstRequestPage, firstRequestWithJobs } from "../support/session/first-request-page.ts";
import { freshPlace } from "../support/session/test-session.ts";

/** The maximum size of a first request, with the default tools and the system prompt but without project files. */
const MOST_BYTES = 9_500;

/** The maximum size of the declarations of `task` and `job` together. */
const MOST_DELEGATION_BYTES = 2_800;

const DEFAULT_TOOLS = [
  "ast_edit",
  "ast_grep",
  "bash",
  "edit",
  "find",
  "grep",
  "ls",
  "read",
  "task",
  "todo_write",
  "write",
  "call_late_tool",
  "resolve",
];

type Body = ReceivedRequest["body"];
interface Family {
  api: string;
  answer: string;
  tools(body: Body): { name: string }[];
}

const FAMILIES: readonly Family[] = [
  {
    api: "anthropic-messages",
    answer: anthropic.answer("end_turn", anthropic.textBlock(0, "ok")),
    tools: ({ tools }) => tools,
  },
  {
    api: "openai-responses",
    answer: responses.answer(responses.message(0, ["ok"])),
    tools: ({ tools }) => tools,
  },
  {
    api: "openai-completions",
    answer: completions.answer("stop", completions.text("ok")),
    tools: ({ tools }) => tools.map((tool: { function: { name: string } }) => tool.function),
  },
  {
    api: "google-generative-ai",
    answer: google.chunk({ text: "ok" }) + google.last("STOP"),
    tools: ({ tools }) => tools[0].functionDeclarations,
  },
];

/** The body of the first request of a session with all default tools. */
async function firstRequest({ api, answer }: Family): Promise<Body> {
  await using server = await startLoopbackServer(sendEvents(answer));
  const place = freshPlace();
  const models = [{ id: "m", reasoning: true }];
  writeFileSync(
    join(place.home, "models.json"),
    JSON.stringify({ providers: { local: { baseUrl: server.url, api, auth: "none", models } } }),
  );
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home },
    flags: { model: "local/m", thinking: "medium" },
  });
  await session.prompt("Hello");
  await session.dispose();
  expect(server.requests).toHaveLength(1);
  return server.requests[0]?.body;
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

for (const family of FAMILIES) {
  test(`the first request of ${family.api} is small`, async () => {
    const body = await firstRequest(family);
    const tools = family.tools(body);
    const sizes = { all: bytes(body), tools: bytes(tools) };
    const perTool = Object.fromEntries(tools.map((tool) => [tool.name, bytes(tool)]));
    if (sizes.all > MOST_BYTES) console.error({ ...sizes, perTool, rest: sizes.all - sizes.tools });
    expect(Object.keys(perTool)).toEqual(DEFAULT_TOOLS);
    expect(sizes.all).toBeLessThanOrEqual(MOST_BYTES);
  });
}

test("docs/first-request.md shows it as it is sent; scripts/first-request.ts renews the page", async () => {
  const { page, bytes: size } = await firstRequestPage();
  expect(readFileSync(join(repository, "docs", "first-request.md"), "utf8")).toBe(page);
  expect(size).toBeLessThanOrEqual(MOST_BYTES);
});

test("background work and subagents add little, together at most 2.8 KB", async () => {
  const { bytes: size, delegation } = await firstRequestWithJobs();
  expect(delegation).toBeLessThanOrEqual(MOST_DELEGATION_BYTES);
  expect(size).toBeLessThanOrEqual(MOST_BYTES);
});
