import type OpenAI from "openai";

// The vendor's types, loosened where compatible servers deviate. Types only: nothing of the package is loaded.
type Vendor = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

export interface CacheControl {
  type: "ephemeral";
  ttl?: "1h";
}
export type WireText = OpenAI.Chat.Completions.ChatCompletionContentPartText & { cache_control?: CacheControl };
export type WireImage = OpenAI.Chat.Completions.ChatCompletionContentPartImage;

interface WireInstructions {
  role: "system" | "developer";
  content: string | WireText[];
}
interface WireUser {
  role: "user";
  content: string | (WireText | WireImage)[];
}
export type WireToolCall = OpenAI.Chat.Completions.ChatCompletionMessageFunctionToolCall & {
  extra_content?: { google: { thought_signature: string } };
};
/** The fields in which servers send reasoning in an assistant message, and expect it back. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;
export type ReasoningField = (typeof REASONING_FIELDS)[number];

export interface WireAssistant extends Partial<Record<ReasoningField, string>> {
  role: "assistant";
  content: string | null;
  tool_calls?: WireToolCall[];
  /** OpenRouter: opaque items that must be returned unchanged. */
  reasoning_details?: unknown[];
}
type WireToolResult = OpenAI.Chat.Completions.ChatCompletionToolMessageParam & { name?: string };
export type WireMessage = WireInstructions | WireUser | WireAssistant | WireToolResult;
export type WireTool = OpenAI.Chat.Completions.ChatCompletionFunctionTool & { cache_control?: CacheControl };

export interface WireBody
  extends Pick<
    Vendor,
    "model" | "stream" | "stream_options" | "store" | "max_tokens" | "max_completion_tokens" | "prompt_cache_key"
  > {
  messages: WireMessage[];
  tools?: WireTool[];
  tool_choice?: OpenAI.Chat.Completions.ChatCompletionToolChoiceOption;
  response_format?: { type: "json_schema"; json_schema: { name: string; schema: object; strict?: boolean } };
  prompt_cache_retention?: "24h";
  provider?: Record<string, unknown>;
  providerOptions?: { gateway: Record<string, unknown> };
}

/** Any field of a response may be missing or null. */
type Loose<T> = T extends readonly (infer Item)[]
  ? (Loose<Item> | null)[]
  : T extends object
    ? { [Key in keyof T]?: Loose<T[Key]> | null }
    : T;
type VendorChunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type VendorChoice = VendorChunk["choices"][number];

export type WireUsage = Loose<NonNullable<VendorChunk["usage"]>> & {
  /** DeepSeek */
  prompt_cache_hit_tokens?: number | null;
  /** Moonshot */
  cached_tokens?: number | null;
  /** OpenRouter: in USD */
  cost?: number | null;
};
export type WireToolCallDelta = Loose<NonNullable<VendorChoice["delta"]["tool_calls"]>[number]> & {
  extra_content?: { google?: { thought_signature?: string | null } | null } | null;
};
export interface WireContentPart {
  type?: string;
  text?: string;
  /** Mistral: the parts of a thought. */
  thinking?: string | (WireContentPart | null)[];
}
export interface WireDelta
  extends Partial<Record<ReasoningField, string | null>>,
    Pick<Loose<VendorChoice["delta"]>, "refusal"> {
  content?: string | (WireContentPart | null)[] | null;
  tool_calls?: (WireToolCallDelta | null)[] | null;
  reasoning_details?: (ReasoningDetail | null)[] | null;
}
/** OpenRouter: the text of an item arrives in pieces with the same type and index. */
export interface ReasoningDetail {
  type?: string;
  index?: number | null;
  id?: string | null;
  text?: string | null;
  summary?: string | null;
  data?: string | null;
  [more: string]: unknown;
}
interface WireChoice {
  delta?: WireDelta | null;
  finish_reason?: string | null;
  /** Moonshot */
  usage?: WireUsage | null;
  /** OpenRouter */
  error?: unknown;
}
export interface WireChunk extends Pick<Loose<VendorChunk>, "id" | "model"> {
  choices?: (WireChoice | null)[] | null;
  usage?: WireUsage | null;
  /** Groq */
  x_groq?: { usage?: WireUsage | null } | null;
  error?: unknown;
  type?: string;
}
