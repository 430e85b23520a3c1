import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendEvents, startLoopbackServer } from "../../../../ai/test/support/loopback-server.ts";
import { startRpc } from "./rpc-child.ts";
import { machine } from "./stored-sessions.ts";

/** A tool call as the model sends it: the tool's name and its arguments. */
export type ModelCall = readonly [name: string, args: object];

/** The requests that the built program sent to the model's API. */
export interface SentRequest {
  messages: { role: string; content: unknown; tool_call_id?: string }[];
  tools: { function: { name: string; description: string; parameters: object } }[];
}

const sse = (delta: object, finish: string) =>
  sendEvents(
    [JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] }), "[DONE]"]
      .map((data) => `data: ${data}\n\n`)
      .join(""),
  );

const answer = (calls: readonly ModelCall[]) =>
  sse(
    {
      tool_calls: calls.map(([name, args], index) => ({
        index,
        id: `call_${index}`,
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
    "tool_calls",
  );

/** Runs the built program with a model that makes these calls, one message after another, and then says "done". */
export async function modelCalls(messages: readonly (readonly ModelCall[])[], flags: readonly string[] = []) {
  const place = machine();
  const server = await startLoopbackServer(...messages.map(answer), sse({ content: "done" }, "stop"));
  const home = place.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  const provider = { baseUrl: server.url, api: "openai-completions", auth: "none", models: [{ id: "m" }] };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local: provider } }));
  const requests = () => server.requests.map(({ body }): SentRequest => body);
  return {
    cwd: place.cwd,
    home,
    start: () => startRpc(["--model", "local/m", ...flags], place),
    requests,
    /** The text of each tool result in the newest request, in call order. */
    results: () =>
      (requests().at(-1)?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content)),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
