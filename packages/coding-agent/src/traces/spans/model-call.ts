import type { AssistantMessage, AssistantMessageEvent, Model } from "@pintle/ai";
import { promptTokens } from "@pintle/ai";
import type { Attributes } from "../span.ts";

/** How an answer ended, or undefined if its reader stopped early. */
export type CallEnd = Extract<AssistantMessageEvent, { type: "done" | "error" }> | undefined;

/** Provider names of the semantic conventions where they differ from pintle's. */
const PROVIDERS: Record<string, string> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "azure-openai": "azure.ai.openai",
  "amazon-bedrock": "aws.bedrock",
  mistral: "mistral_ai",
  xai: "x_ai",
};

export function requestAttributes({ provider, id, baseUrl }: Model): Attributes {
  const url = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  return {
    "gen_ai.provider.name": PROVIDERS[provider] ?? provider,
    "gen_ai.request.model": id,
    "server.address": url?.hostname,
    "server.port": url && (Number(url.port) || (url.protocol === "https:" ? 443 : 80)),
  };
}

export function answerAttributes(end: CallEnd): Attributes {
  const message = messageOf(end);
  if (!message) return {};
  const { usage } = message;
  return {
    "gen_ai.response.model": message.model,
    "gen_ai.response.id": message.responseId,
    "gen_ai.response.finish_reasons": [message.stopReason],
    "gen_ai.usage.input_tokens": promptTokens(usage),
    "gen_ai.usage.output_tokens": usage.output,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
    "pintle.cost.usd": usage.cost.total > 0 ? usage.cost.total : undefined,
  };
}

export function messageOf(end: CallEnd): AssistantMessage | undefined {
  if (!end) return undefined;
  return end.type === "done" ? end.message : end.error;
}

/** Describes an error without any content of the request or answer. */
export function failureOf(end: CallEnd): { type: string; text: string } | undefined {
  if (!end) return { type: "cancelled", text: "The answer was not read to its end" };
  if (end.type === "done") return undefined;
  if (end.reason === "aborted") return { type: "aborted", text: "The run was aborted" };
  const { kind, status } = end.failure;
  return { type: status === undefined ? kind : String(status), text: `The model call failed: ${kind}` };
}
