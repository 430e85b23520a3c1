import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame } from "./frame.ts";

/** One answer of the model. Resolves when everything has been written. */
export type Answer = (response: ServerResponse, request: Frame) => void | Promise<void>;

/**
 * The model of the agent under test: a server on loopback with the chat completions API that gives the answers a check
 * has queued, one per request.
 */
export class ModelServer {
  readonly requests: Frame[] = [];
  readonly #answers: Answer[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ModelServer> {
    const server = createServer();
    const model = new ModelServer(server);
    server.on("request", async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = JSON.parse(Buffer.concat(parts).toString() || "{}") as Frame;
      model.requests.push(body);
      await (model.#answers.shift() ?? says("(no answer was queued)"))(response, body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  /** Includes the version path that clients of this API expect. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  put(...answers: Answer[]): void {
    this.#answers.push(...answers);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

function close(response: ServerResponse, reason: string): void {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.write(chunk({}, reason));
  response.write(
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

/** Streams the pieces as deltas of one text. */
export const says =
  (...pieces: string[]): Answer =>
  (response) => {
    open(response);
    for (const content of pieces) response.write(chunk({ role: "assistant", content }));
    close(response, "stop");
  };

export interface Call {
  name: string;
  args: object;
  id?: string;
}

/** Calls in one message, so that they may run in parallel. */
export const calls =
  (...wanted: Call[]): Answer =>
  (response) => {
    open(response);
    const tool_calls = wanted.map(({ name, args, id }, index) => ({
      index,
      id: id ?? `call_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    response.write(chunk({ role: "assistant", tool_calls }));
    close(response, "tool_calls");
  };

/** Sends a beginning, and then nothing until the client leaves or `release` is called. */
export function hangs(beginning?: string): {
  answer: Answer;
  reached: Promise<void>;
  left: Promise<void>;
  release(): void;
} {
  const [reached, left, gate] = [latch(), latch(), latch()];
  const answer: Answer = async (response) => {
    response.on("close", left.open);
    open(response);
    response.write(beginning === undefined ? ": open\n\n" : chunk({ role: "assistant", content: beginning }));
    reached.open();
    await Promise.race([gate.opened, left.opened]);
    if (!response.writableEnded && !response.destroyed) close(response, "stop");
  };
  return { answer, reached: reached.opened, left: left.opened, release: gate.open };
}

export const fails =
  (status: number, message: string): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, type: "error" } }));
  };

function latch(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
