import type { Model } from "../../../../src/model.ts";

export const gpt6: Model = {
  id: "gpt-6-test",
  name: "GPT-6 Test",
  api: "openai-responses",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 2.5 },
  contextWindow: 1_050_000,
  maxTokens: 128_000,
};

/** One event as the vendor frames it. */
export function sse(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const RESPONSE = {
  id: "resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654",
  object: "response",
  created_at: 1741290958,
  status: "in_progress",
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: "gpt-6-test",
  output: [],
  parallel_tool_calls: true,
  reasoning: { effort: "medium", summary: "detailed" },
  store: false,
  text: { format: { type: "text" }, verbosity: "medium" },
  tool_choice: "auto",
  truncation: "disabled",
  usage: null,
  metadata: {},
};
const USAGE = {
  input_tokens: 1117,
  input_tokens_details: { cached_tokens: 1024, cache_write_tokens: 32 },
  output_tokens: 46,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 1163,
};

/** A lifecycle event; `more` replaces fields of the response. */
export function lifecycle(type: string, more: object = {}): string {
  return sse({ type, sequence_number: 0, response: { ...RESPONSE, ...more } });
}

export const opening = lifecycle("response.created") + lifecycle("response.in_progress");
export const completed = lifecycle("response.completed", { status: "completed", usage: USAGE });

/** A whole answer around the given events. */
export function answer(...events: string[]): string {
  return [opening, ...events, completed].join("");
}

export function itemAdded(index: number, item: object): string {
  return sse({ type: "response.output_item.added", sequence_number: 1, output_index: index, item });
}

export function itemDone(index: number, item: object): string {
  return sse({ type: "response.output_item.done", sequence_number: 9, output_index: index, item });
}

export function textDelta(index: number, delta: string, part = 0): string {
  return sse({
    type: "response.output_text.delta",
    sequence_number: 4,
    item_id: `msg_${index}`,
    output_index: index,
    content_index: part,
    delta,
    logprobs: [],
    obfuscation: "aBc1",
  });
}

/** A message item with all its events. */
export function message(index: number, pieces: string[], more: object = {}): string {
  const head = { id: `msg_${index}`, type: "message", role: "assistant", ...more };
  const where = { sequence_number: 3, item_id: head.id, output_index: index, content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [], text: "" };
  const text = pieces.join("");
  return [
    itemAdded(index, { ...head, status: "in_progress", content: [] }),
    sse({ type: "response.content_part.added", ...where, part }),
    ...pieces.map((piece) => textDelta(index, piece)),
    sse({ type: "response.output_text.done", ...where, text, logprobs: [] }),
    sse({ type: "response.content_part.done", ...where, part: { ...part, text } }),
    itemDone(index, { ...head, status: "completed", content: [{ ...part, text }] }),
  ].join("");
}

export function summaryDelta(index: number, delta: string, part = 0): string {
  return sse({
    type: "response.reasoning_summary_text.delta",
    sequence_number: 3,
    item_id: `rs_${index}`,
    output_index: index,
    summary_index: part,
    delta,
    obfuscation: "x",
  });
}

/** A reasoning item; each text is a part of its summary. */
export function reasoning(index: number, texts: string[], encrypted: string | null = `gAAAA${index}==`): string {
  const head = { id: `rs_${index}`, type: "reasoning" };
  const where = { sequence_number: 2, item_id: head.id, output_index: index };
  const parts = texts.map((text) => ({ type: "summary_text", text }));
  const part = (at: number) => ({ ...where, summary_index: at, part: parts[at] });
  return [
    itemAdded(index, { ...head, encrypted_content: "gAAAApartial", summary: [] }),
    ...texts.flatMap((text, at) => [
      sse({ type: "response.reasoning_summary_part.added", ...part(at) }),
      summaryDelta(index, text, at),
      sse({ type: "response.reasoning_summary_text.done", ...where, summary_index: at, text }),
      sse({ type: "response.reasoning_summary_part.done", ...part(at) }),
    ]),
    itemDone(index, { ...head, encrypted_content: encrypted, summary: parts }),
  ].join("");
}

function callHead(index: number, name: string) {
  return { id: `fc_${index}`, type: "function_call", call_id: `call_${index}`, name };
}

export function callAdded(index: number, name: string): string {
  return itemAdded(index, { ...callHead(index, name), status: "in_progress", arguments: "" });
}

export function callDelta(index: number, delta: string): string {
  return sse({
    type: "response.function_call_arguments.delta",
    sequence_number: 5,
    item_id: `fc_${index}`,
    output_index: index,
    delta,
    obfuscation: "yZ",
  });
}

export function callDone(index: number, name: string, args: string): string {
  const where = { sequence_number: 8, item_id: `fc_${index}`, output_index: index };
  return [
    sse({ type: "response.function_call_arguments.done", ...where, arguments: args }),
    itemDone(index, { ...callHead(index, name), status: "completed", arguments: args }),
  ].join("");
}

/** A function call with all its events. */
export function call(index: number, name: string, ...pieces: string[]): string {
  return [
    callAdded(index, name),
    ...pieces.map((piece) => callDelta(index, piece)),
    callDone(index, name, pieces.join("")),
  ].join("");
}
