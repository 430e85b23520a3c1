/** A model on loopback with predictable answers: each prompt is a command, and its answer is the command's output. */
export interface ToolModel extends Disposable {
  /** A `models.json` in which it is `soak/soak`. */
  config: string;
  requests(): number;
}

interface ChatRequest {
  messages: { role: string; content: string | { text?: string }[] }[];
}

/** @param delayMs how long it thinks before each answer */
export function startToolModel({ delayMs = 0 }: { delayMs?: number } = {}): ToolModel {
  let requests = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      requests += 1;
      if (delayMs > 0) await Bun.sleep(delayMs);
      const last = ((await request.json()) as ChatRequest).messages.at(-1);
      const text = textOf(last?.content ?? "");
      if (last?.role === "tool") return stream({ content: `It said ${text.trim()}` }, "stop");
      const call = { name: "bash", arguments: JSON.stringify({ command: text }) };
      return stream(
        { tool_calls: [{ index: 0, id: `call_${requests}`, type: "function", function: call }] },
        "tool_calls",
      );
    },
  });
  const provider = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    api: "openai-completions",
    auth: "none",
    models: [{ id: "soak" }],
  };
  return {
    config: JSON.stringify({ providers: { soak: provider } }),
    requests: () => requests,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function textOf(content: ChatRequest["messages"][number]["content"]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function stream(delta: object, finish_reason: string): Response {
  const chunks = [
    { index: 0, delta },
    { index: 0, delta: {}, finish_reason },
  ];
  const lines = chunks.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  return new Response(`${lines.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}
