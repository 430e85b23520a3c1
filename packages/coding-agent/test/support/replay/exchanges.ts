import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fetch, type Model, type ModelContext, type StreamOptions, streamModel } from "@pintle/ai";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { type CheckedAnswer, readChecked } from "../../../../ai/test/support/event-checker.ts";
import { ALL_OPEN } from "../../../src/replay/recording/open-exchanges.ts";
import { openRecordings, type RecordedSubagent, type RecordingsOptions } from "../../../src/replay/recordings.ts";

const root = scratchPath();

export function freshDirectory(): string {
  return scratchPath(root);
}

export const anthropic: Model = {
  id: "claude-test",
  name: "Claude Test",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "https://api.anthropic.com",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 8_000,
};

export const openai: Model = {
  ...anthropic,
  id: "gpt-test",
  api: "openai-completions",
  provider: "acme",
  baseUrl: "https://acme.test/v1",
};

/** A server's response, or how the connection fails. */
export interface Reply {
  status?: number;
  statusText?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Bytes per network packet. */
  chunk?: number;
  /** The connection breaks after the body. */
  breaks?: { code: string; message: string };
  /** Nothing follows the body. */
  hangs?: true;
}

export interface Network {
  fetch: Fetch;
  sent: { url: string; init: RequestInit }[];
}

/** A network in memory that gives these replies, the last one repeatedly. */
export function network(...replies: Reply[]): Network {
  const sent: Network["sent"] = [];
  const fetch: Fetch = async (url, init) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? {};
    sent.push({ url, init });
    if (reply.breaks && reply.body === undefined) throw Object.assign(new Error(reply.breaks.message), reply.breaks);
    const headers = { "content-type": "text/event-stream", ...reply.headers };
    return new Response(bodyOf(reply, init.signal ?? undefined), {
      status: reply.status ?? 200,
      statusText: reply.statusText ?? "",
      headers,
    });
  };
  return { fetch, sent };
}

function bodyOf({ body = "", chunk = 1000, breaks, hangs }: Reply, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at + chunk));
        at += chunk;
      } else if (hangs) {
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
        controller.error(signal?.reason);
      } else if (breaks) controller.error(Object.assign(new Error(breaks.message), breaks));
      else controller.close();
    },
  });
}

/** Throws, because no request may be made. */
export const noNetwork: Fetch = () => {
  throw new Error("the network was used");
};

export interface Conversation {
  /** The subagent that asks. */
  subagent?: RecordedSubagent;
  model?: Model;
  context: ModelContext;
  options?: StreamOptions;
}

/** A directory that answers requests, live or from its files. */
export function exchanges(settings: Partial<RecordingsOptions>, network: Fetch = noNetwork) {
  const problems: string[] = [];
  const recordings = openRecordings({
    places: () => ({ cwd: "/srv/project", home: "/home/me/.pintle" }),
    secrets: () => [],
    report: (problem) => problems.push(problem),
    ...settings,
  });
  const start = ({ subagent, model = anthropic, context, options }: Conversation) =>
    recordings.wrap(streamModel, subagent)(model, context, {
      apiKey: "key-of-the-test",
      fetch: network,
      idleTimeoutMs: 0,
      ...options,
    });
  const ask = async (conversation: Conversation): Promise<CheckedAnswer> => {
    const others = new Set(ALL_OPEN);
    const answer = await readChecked(start(conversation));
    // The last event precedes the end of the body, and only the end stores the answer.
    while ([...ALL_OPEN].some((open) => !others.has(open))) await new Promise((resolve) => setImmediate(resolve));
    return answer;
  };
  return { recordings, problems, start, ask };
}

export function says(...texts: string[]): ModelContext {
  const messages = texts.map((text, index) => ({ role: "user" as const, content: text, timestamp: index }));
  return { systemPrompt: "Be brief.", messages };
}

/** Events in the form that is compared: without times and values derived from them. */
export function timeless(answer: CheckedAnswer): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value) => (["timestamp", "duration", "ttft"].includes(key) ? undefined : value)),
  );
}

/** Returns everything below a directory as one string. */
export function allText(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`).join("\n");
}

type Step = { text: string } | { thinking: string; signature?: string } | { call: string; args: string; id: string };

/** Returns an answer in Anthropic's events; each step is sent in pieces of this many characters. */
export function claudeSays(steps: readonly Step[], piece = 1000): string {
  const events: [string, object][] = [
    [
      "message_start",
      { message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 3, output_tokens: 1 } } },
    ],
  ];
  for (const [index, step] of steps.entries()) {
    const [block, deltas] = toBlock(step, piece);
    events.push(["content_block_start", { index, content_block: block }]);
    for (const delta of deltas) events.push(["content_block_delta", { index, delta }]);
    events.push(["content_block_stop", { index }]);
  }
  const stop_reason = steps.some((step) => "call" in step) ? "tool_use" : "end_turn";
  events.push(["message_delta", { delta: { stop_reason }, usage: { output_tokens: 9 } }], ["message_stop", {}]);
  return events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join("");
}

function toBlock(step: Step, piece: number): [object, object[]] {
  if ("text" in step) {
    return [{ type: "text", text: "" }, cut(step.text, piece).map((text) => ({ type: "text_delta", text }))];
  }
  if ("thinking" in step) {
    const thoughts = cut(step.thinking, piece).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signed = step.signature ? [{ type: "signature_delta", signature: step.signature }] : [];
    return [{ type: "thinking", thinking: "" }, [...thoughts, ...signed]];
  }
  const args = cut(step.args, piece).map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return [{ type: "tool_use", id: step.id, name: step.call, input: {} }, args];
}

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size));
}

/** The recorded answers of a directory, in order. */
export function answersIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".stream.jsonl"))
    .sort()
    .map((name) => join(directory, name));
}

export const hello = { body: claudeSays([{ text: "Hello" }]) };
