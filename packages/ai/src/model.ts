import type { Static } from "typebox";
import { REPORTED_THINKING_LEVELS, type ThinkingLevel } from "./thinking.ts";
import { Type } from "./type.ts";

// Schemas are built when this module loads, so import it at run time only where they are needed; elsewhere import
// types.

/** What the default dialect reports. Dialects for clients that know `max` also send it. */
export const ThinkingLevelSchema = Type.Unsafe<ThinkingLevel>(
  Type.Union(REPORTED_THINKING_LEVELS.map((level) => Type.Literal(level))),
);

const CostSchema = Type.Object(
  { input: Type.Number(), output: Type.Number(), cacheRead: Type.Number(), cacheWrite: Type.Number() },
  { description: "USD per million tokens" },
);

/** Deviations of a server from the API it claims to implement. Every key is optional and off by default. */
export interface Compat {
  supportsDeveloperRole?: boolean;
  supportsReasoningEffort?: boolean;
  supportsUsageInStreaming?: boolean;
  supportsStore?: boolean;
  supportsStrictMode?: boolean;
  supportsToolChoice?: boolean;
  /** The API's response format works in requests that have tools. */
  supportsOutputSchema?: boolean;
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  requiresToolResultName?: boolean;
  requiresAssistantAfterToolResult?: boolean;
  requiresThinkingAsText?: boolean;
  requiresReasoningContentOnAssistantMessages?: boolean;
  thinkingFormat?: "openai" | "openrouter" | "deepseek" | "together" | "zai" | "qwen" | "qwen-chat-template";
  cacheControlFormat?: "anthropic";
  supportsLongCacheRetention?: boolean;
  /** OpenAI: the server accepts `prompt_cache_key`. */
  supportsPromptCacheKey?: boolean;
  openRouterRouting?: Record<string, unknown>;
  vercelGatewayRouting?: Record<string, unknown>;
  extraBody?: Record<string, unknown>;
  supportsEagerToolInputStreaming?: boolean;
  supportsCacheControlOnTools?: boolean;
  /** The server refuses requests with more tools. */
  maxTools?: number;
  /** Anthropic: the model chooses its own thinking depth and takes `effort` instead of a token budget. */
  adaptiveThinking?: boolean;
}

export const ModelSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  api: Type.String(),
  provider: Type.String(),
  baseUrl: Type.String(),
  reasoning: Type.Boolean(),
  input: Type.Array(Type.Union([Type.Literal("text"), Type.Literal("image")])),
  cost: CostSchema,
  contextWindow: Type.Integer(),
  maxTokens: Type.Integer(),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  compat: Type.Optional(Type.Unsafe<Compat>(Type.Object({}))),
  thinkingLevelMap: Type.Optional(
    Type.Unsafe<Partial<Record<ThinkingLevel, string | null>>>(
      Type.Object({}, { description: "level → the provider's name for it; null removes the level" }),
    ),
  ),
});
export type Model = Static<typeof ModelSchema>;
