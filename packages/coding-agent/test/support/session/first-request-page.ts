import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendEvents, startLoopbackServer } from "../../../../ai/test/support/loopback-server.ts";
import * as anthropic from "../../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import { freshPlace } from "./test-session.ts";

/** Returns the first request of a session to Anthropic's API, in an empty project with an example path. */
async function captureFirstRequest(settings: Record<string, unknown> = {}) {
  await using server = await startLoopbackServer(
    sendEvents(anthropic.answer("end_turn", anthropic.textBlock(0, "ok"))),
  );
  const place = freshPlace();
  const provider = { baseUrl: server.url, api: "anthropic-messages", auth: "none", models: [{ id: "model" }] };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { local: provider } }));
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home },
    flags: { model: "local/model" },
    settings,
  });
  await session.prompt("Hello");
  await session.dispose();
  return JSON.parse(JSON.stringify(server.requests[0]?.body).replaceAll(place.cwd, "/path/to/project"));
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** With async work on: the size of the request, and that of the declarations of `task` and `job`. */
export async function firstRequestWithJobs(): Promise<{ bytes: number; delegation: number }> {
  const body = await captureFirstRequest({ "async.enabled": true });
  const tools: { name: string }[] = body.tools;
  const delegation = tools.filter(({ name }) => name === "task" || name === "job");
  if (delegation.length !== 2) throw new Error("the request does not declare task and job");
  return { bytes: bytesOf(body), delegation: delegation.reduce((sum, tool) => sum + bytesOf(tool), 0) };
}

/** Builds docs/first-request.md from the first request with the default settings. */
export async function firstRequestPage(): Promise<{ page: string; bytes: number }> {
  const body = await captureFirstRequest();
  const masked = JSON.stringify(body, null, 2)
    .replace(/Operating system: [^\\]*/, "Operating system: Linux (x64), shell: bash")
    .replace(/Current date: [\d-]+/, "Current date: 2026-01-31");
  const page = `# The first request

This is what pintle sends to the model for the prompt "Hello" in an empty project, with the default
settings: system prompt, tools and message, as Anthropic's API receives them. The indentation is
added here; the request itself is one line of at most 9.5 KB. Operating system, date and directory
are examples. Permissions and project instructions would follow at the end of the system prompt
([tools.md](tools.md#what-the-model-knows-about-its-permissions),
[resources.md](resources.md#system-prompt)).

\`\`\`json
${masked}
\`\`\`
`;
  return { page, bytes: bytesOf(body) };
}
