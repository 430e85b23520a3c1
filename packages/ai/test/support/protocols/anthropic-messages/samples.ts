import type { AssistantMessage } from "../../../../src/messages.ts";
import type { Model } from "../../../../src/model.ts";

export const claude: Model = {
  id: "claude-test",
  name: "Claude Test",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "https://api.anthropic.com",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 200_000,
  maxTokens: 64_000,
};

/** One event as the vendor frames it. */
export function sse(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

export const messageStart = `event: message_start
data: {"type":"message_start","message":{"model":"claude-test","id":"msg_01XFDUDYJgAACzvnptvVoYEL","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":100,"cache_read_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}

`;

export function messageDelta(stopReason: string, outputTokens = 15): string {
  return `event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"${stopReason}","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":25,"cache_creation_input_tokens":100,"cache_read_input_tokens":2000,"output_tokens":${outputTokens}}     }

`;
}

export const messageStop = 'event: message_stop\ndata: {"type":"message_stop"       }\n\n';

export function blockStart(index: number, block: object): string {
  return `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${JSON.stringify(block)}          }\n\n`;
}

export function blockDelta(index: number, delta: object): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${JSON.stringify(delta)}     }\n\n`;
}

export function blockStop(index: number): string {
  return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}       }\n\n`;
}

export function textBlock(index: number, ...pieces: string[]): string {
  const deltas = pieces.map((text) => blockDelta(index, { type: "text_delta", text }));
  return [blockStart(index, { type: "text", text: "" }), ...deltas, blockStop(index)].join("");
}

export function thinkingBlock(index: number, thinking: string, signature: string): string {
  return [
    blockStart(index, { type: "thinking", thinking: "", signature: "" }),
    ...(thinking ? [blockDelta(index, { type: "thinking_delta", thinking })] : []),
    blockDelta(index, { type: "signature_delta", signature }),
    blockStop(index),
  ].join("");
}

export function toolStart(index: number, id: string, name: string, input: unknown = {}): string {
  return blockStart(index, { type: "tool_use", id, name, input });
}

export function toolInput(index: number, partialJson: string): string {
  return blockDelta(index, { type: "input_json_delta", partial_json: partialJson });
}

/** A whole answer around the given blocks. */
export function answer(stopReason: string, ...blocks: string[]): string {
  return [messageStart, ping, ...blocks, messageDelta(stopReason), messageStop].join("");
}

/** An assistant message as this or another model left it in the conversation. */
export function assistantMessage(
  content: AssistantMessage["content"],
  from: Pick<Model, "api" | "provider" | "id"> = claude,
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: from.api,
    provider: from.provider,
    model: from.id,
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "stop",
    timestamp: 1,
  };
}
