import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendEvents, startLoopbackServer } from "../../../../ai/test/support/loopback-server.ts";
import * as anthropic from "../../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import { freshPlace } from "./test-session.ts";

/** Builds the first request of a session to Anthropic's API, and docs/first-request.md from it. */
export async function firstRequestPage(): Promise<{ page: string; bytes: number }> {
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
  });
  await session.prompt("Hello");
  await session.dispose();
  const text = JSON.stringify(server.requests[0]?.body);
  const masked = JSON.stringify(server.requests[0]?.body, null, 2)
    .replaceAll(place.cwd, "/path/to/project")
    .replace(/Operating system: [^\\]*/, "Operating system: Linux (x64), shell: bash")
    .replace(/Current date: [\d-]+/, "Current date: 2026-01-31");
  const page = `# The first request

This is what pintle sends to the model for the prompt "Hello" in an empty project, with the default settings: system prompt, tools and the
message, as Anthropic's API gets them. Indentation is added here; the request itself is one line of at most 7.5 KB. Operating
system, date and directory are examples. Permissions and project instructions would follow at the end of the system prompt
([tools.md](tools.md#what-the-model-knows-about-its-permissions), [resources.md](resources.md#system-prompt)).

\`\`\`json
${masked}
\`\`\`
`;
  return { page, bytes: Buffer.byteLength(text) };
}
