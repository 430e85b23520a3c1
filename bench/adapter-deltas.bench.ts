// Measures the CPU time per delta of each adapter against eventsource-parser and JSON.parse on the same bytes. No
// network: the bytes come from a response in memory, in socket-sized chunks. The bridge uses a package that does no
// more than that baseline and passes each delta on as a part.

import { type Model, type ProviderPackage, streamModel } from "@pintle/ai";
import { createParser } from "eventsource-parser";
import { printTable } from "./support/table.ts";

const DELTAS = 20_000;
const CHUNK_BYTES = 1400; // about one network packet
const ROUNDS = 25;

const base: Omit<Model, "api"> = {
  id: "m",
  name: "m",
  provider: "bench",
  baseUrl: "http://127.0.0.1:1",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 8_000,
};

const words = Array.from({ length: DELTAS }, (_, index) => ` word${index % 977}`);

const samples: Record<string, string> = {
  "openai-completions": [
    ...words.map((content) =>
      sse({
        id: "chatcmpl-A1b2C3d4E5f6G7h8I9j0",
        object: "chat.completion.chunk",
        created: 1_790_000_000,
        model: "m-2026-01-01",
        service_tier: "default",
        system_fingerprint: "fp_0123456789",
        choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
        usage: null,
      }),
    ),
    sse({ id: "x", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    "data: [DONE]\n\n",
  ].join(""),
  "anthropic-messages": [
    event({
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...words.map((text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    event({ type: "content_block_stop", index: 0 }),
    event({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 9 },
    }),
    event({ type: "message_stop" }),
  ].join(""),
  "openai-responses": [
    event({ type: "response.created", sequence_number: 0, response: { id: "resp_1", status: "in_progress" } }),
    event({
      type: "response.output_item.added",
      sequence_number: 1,
      output_index: 0,
      item: { id: "msg_1", type: "message", status: "in_progress", role: "assistant", content: [] },
    }),
    ...words.map((delta, index) =>
      event({
        type: "response.output_text.delta",
        sequence_number: index + 2,
        item_id: "msg_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654",
        output_index: 0,
        content_index: 0,
        delta,
        logprobs: [],
        obfuscation: "aBc1dE2f",
      }),
    ),
    event({ type: "response.completed", sequence_number: DELTAS, response: { id: "resp_1", status: "completed" } }),
  ].join(""),
  "google-generative-ai": [
    ...words.map((text) => sse(geminiChunk({ content: { parts: [{ text }], role: "model" }, index: 0 }))),
    sse(geminiChunk({ content: { parts: [], role: "model" }, finishReason: "STOP", index: 0 })),
  ].join(""),
};

samples["ai-sdk"] = samples["anthropic-messages"] as string;

const rows: (string | number)[][] = [["", "baseline ns/delta", "adapter ns/delta", "ratio"]];
for (const [api, text] of Object.entries(samples)) {
  const chunks = cut(new TextEncoder().encode(text));
  const floor: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    floor.push(await time(() => parseOnly(chunks)));
    own.push(await time(() => streamAll({ ...base, api }, chunks)));
  }
  // Other work on the machine only adds time, so the best round is the most accurate.
  const [a, b] = [Math.min(...floor), Math.min(...own)];
  rows.push([api, (a / DELTAS).toFixed(0), (b / DELTAS).toFixed(0), (b / a).toFixed(2)]);
}
printTable(rows);

async function parseOnly(chunks: readonly Uint8Array[]): Promise<void> {
  const decoder = new TextDecoder();
  let seen = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== "[DONE]") seen += JSON.parse(data) ? 1 : 0;
    },
  });
  const reader = bodyOf(chunks).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parser.feed(decoder.decode(value, { stream: true }));
  }
  if (seen < DELTAS) throw new Error("the baseline lost events");
}

async function streamAll(model: Model, chunks: readonly Uint8Array[]): Promise<void> {
  const headers = { "content-type": "text/event-stream" };
  const stream = streamModel(
    model,
    { messages: [] },
    {
      apiKey: "k",
      fetch: async () => new Response(bodyOf(chunks), { headers }),
      providerPackage: smallPackage(chunks),
    },
  );
  let deltas = 0;
  for (;;) {
    const next = stream.take();
    if (next?.type === "text_delta") deltas += 1;
    else if (next?.type === "done") break;
    else if (next?.type === "error") throw new Error(next.error.errorMessage);
    else if (!next) await new Promise<void>((resolve) => stream.onReadable(resolve));
  }
  if (deltas !== DELTAS) throw new Error(`${deltas} deltas instead of ${DELTAS}`);
}

/** Built like AI SDK packages: bytes to events to parts, each step as a separate stream. */
function smallPackage(chunks: readonly Uint8Array[]): ProviderPackage {
  const decoder = new TextDecoder();
  const toParts = () => {
    let enqueue: (part: object) => void = () => {};
    const parser = createParser({
      onEvent: ({ data }) => {
        const { type, delta } = JSON.parse(data);
        if (type === "content_block_start") enqueue({ type: "text-start", id: "0" });
        else if (type === "content_block_delta") enqueue({ type: "text-delta", id: "0", delta: delta.text });
        else if (type === "content_block_stop") enqueue({ type: "text-end", id: "0" });
        else if (type === "message_stop")
          enqueue({ type: "finish", finishReason: { unified: "stop", raw: "end_turn" } });
      },
    });
    return new TransformStream<Uint8Array, object>({
      start: (controller) => {
        enqueue = (part) => controller.enqueue(part);
      },
      transform: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })),
    });
  };
  const doStream = async () => ({ stream: bodyOf(chunks).pipeThrough(toParts()) });
  const languageModel = () => ({ specificationVersion: "v3", provider: "bench", doStream });
  return { name: "bench", load: async () => ({ createBench: () => ({ languageModel }) }) };
}

function bodyOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[at];
      at += 1;
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
  });
}

function cut(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
  return chunks;
}

async function time(job: () => Promise<void>): Promise<number> {
  const started = process.cpuUsage();
  await job();
  const { user, system } = process.cpuUsage(started);
  return (user + system) * 1000;
}

function geminiChunk(candidate: object): object {
  return {
    candidates: [candidate],
    usageMetadata: {
      promptTokenCount: 1117,
      candidatesTokenCount: 9,
      totalTokenCount: 1126,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 1117 }],
    },
    modelVersion: "m-2026-01-01",
    responseId: "Il0taoSYJ5Cez7IP",
  };
}

function sse(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function event(value: { type: string } & Record<string, unknown>): string {
  return `event: ${value.type}\n${sse(value)}`;
}
