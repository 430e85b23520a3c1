// The client that the conformance suites start: the built program with one MCP server, whose address the suite appends, and a
// host for it. The model is a script on loopback that calls every tool once. Logins are answered like a browser whose user
// agrees, dialogs like a user who accepts the proposed values. Exits with 1 if the server or a tool fails.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { program } from "../program.ts";
import { readLines } from "../scenarios/lines.ts";
import { oauthOf, toolArguments } from "./conformance-answers.ts";

const url = process.argv.at(-1) ?? "";

// biome-ignore lint/suspicious/noExplicitAny: frames and requests of many kinds
type Json = Record<string, any>;

const line = (delta: object, finish_reason: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\ndata: [DONE]\n\n`;

/** Calls everything that the server offers, in parallel, and accepts any result. */
const model = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { tools = [], messages }: Json = await request.json();
    const offered = tools
      .map(({ function: declared }: Json) => declared)
      .filter(({ name }: Json) => name.startsWith("mcp__one__"));
    const hasResults = messages.some(({ role }: Json) => role === "tool");
    const tool_calls = offered.map(({ name, parameters }: Json, index: number) => ({
      index,
      id: `call_${index}`,
      function: {
        name,
        arguments: JSON.stringify(toolArguments(name.slice("mcp__one__".length), parameters, offered)),
      },
    }));
    const isDone = hasResults || tool_calls.length === 0;
    return new Response(isDone ? line({ content: "done" }, "stop") : line({ tool_calls }, "tool_calls"), {
      headers: { "content-type": "text/event-stream" },
    });
  },
});

const place = scratchPath();
const home = join(place, "home");
mkdirSync(home);
const write = (name: string, value: object) => writeFileSync(join(home, name), JSON.stringify(value));
const local = { baseUrl: model.url.href, api: "openai-completions", auth: "none", models: [{ id: "m" }] };
write("models.json", { providers: { local } });
const oauth = oauthOf();
write("mcp.json", { mcpServers: { one: { url, ...(oauth && { oauth }) } } });
write("settings.json", { mcp: { startTimeoutMs: 30_000 } });

const child = Bun.spawn([program, "--mode", "rpc", "--model", "local/m", "--no-session", "--no-builtin-tools"], {
  cwd: place,
  env: { PATH: process.env.PATH ?? "", HOME: place, PINTLE_HOME: home },
  stdin: "pipe",
  stdout: "pipe",
  stderr: "inherit",
});
const send = (frame: object) => {
  child.stdin.write(`${JSON.stringify(frame)}\n`);
  child.stdin.flush();
};

let isFailed = false;
const handlers: Record<string, (frame: Json) => unknown> = {
  async mcp_auth_request({ id, url: address }) {
    const redirectUrl = (await fetch(address, { redirect: "manual" })).headers.get("location");
    send({ type: "mcp_auth_response", id, ...(redirectUrl ? { redirectUrl } : { cancelled: true }) });
  },
  extension_ui_request({ id, method, options, defaultValue }) {
    const answers: Json = {
      confirm: { confirmed: true },
      select: { value: defaultValue ?? options?.[0] },
      input: { value: defaultValue ?? "" },
      editor: { value: defaultValue ?? "" },
    };
    if (answers[method]) send({ type: "extension_ui_response", id, ...answers[method] });
  },
  tool_execution_end({ toolName, isError, result }) {
    if (isError) console.error(toolName, JSON.stringify(result.content).slice(0, 500));
    isFailed ||= isError;
  },
  mcp_status({ server }) {
    if (server.error !== undefined) console.error(server.status, server.error);
    isFailed ||= server.status === "failed";
  },
  agent_settled: () => child.stdin.end(),
};
send({ id: "1", type: "set_host_capabilities", ui: true, mcpAuth: true });
send({ id: "2", type: "prompt", message: "call the tools" });
for await (const text of readLines(child.stdout)) {
  const frame: Json = JSON.parse(text);
  await handlers[frame.type]?.(frame);
}
await child.exited;
await model.stop(true);
rmSync(place, { recursive: true, force: true });
process.exitCode = isFailed ? 1 : 0;
