import type { ToolTrial } from "./calls.ts";

type Call = Pick<ToolTrial, "tool" | "args">;

/** A model on loopback that makes these calls one after another, over both APIs, and records the result of each. */
export function serveTrials(trials: readonly Call[]) {
  const results: (string | undefined)[] = [];
  let next = 0;
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const body = await request.json().catch(() => ({}));
      const isResponses = new URL(request.url).pathname.endsWith("/responses");
      if (next > 0) results[next - 1] = lastResult(body);
      const trial = trials[next];
      next += 1;
      const events = isResponses ? responsesEvents(trial, next) : chatEvents(trial, next);
      return new Response(events, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, results, stop: () => server.stop(true) };
}

interface Item {
  role?: string;
  type?: string;
  content?: unknown;
  output?: unknown;
}

function lastResult({ messages, input }: { messages?: Item[]; input?: Item[] }): string | undefined {
  const items = messages ?? input ?? [];
  const last = items.findLast(({ role, type }) => role === "tool" || type === "function_call_output");
  const value = last?.content ?? last?.output;
  if (value === undefined) return undefined;
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((part) => part.text ?? "").join("") : JSON.stringify(value);
}

const line = (data: object, event?: string) =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

function chatEvents(trial: Call | undefined, number: number): string {
  const delta = trial
    ? {
        tool_calls: [
          { index: 0, id: `c${number}`, function: { name: trial.tool, arguments: JSON.stringify(trial.args) } },
        ],
      }
    : { content: "done" };
  const choice = { index: 0, delta, finish_reason: trial ? "tool_calls" : "stop" };
  return `${line({ choices: [choice] })}data: [DONE]\n\n`;
}

function responsesEvents(trial: Call | undefined, number: number): string {
  const item = trial
    ? {
        type: "function_call",
        id: `f${number}`,
        call_id: `c${number}`,
        name: trial.tool,
        arguments: JSON.stringify(trial.args),
      }
    : { type: "message", id: `m${number}`, role: "assistant", content: [{ type: "output_text", text: "done" }] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const response = { id: `r${number}`, usage };
  return [
    line({ type: "response.created", response: { id: `r${number}` } }, "response.created"),
    line({ type: "response.output_item.done", output_index: 0, item }, "response.output_item.done"),
    line({ type: "response.completed", response }, "response.completed"),
  ].join("");
}
