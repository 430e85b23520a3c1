import { type Static, Type } from "typebox";
import type { Usage } from "./messages.ts";

/** Ascending; clamping and cycling rely on the order. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export const ThinkingLevelSchema = Type.Union(THINKING_LEVELS.map((level) => Type.Literal(level)));
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

export const CostSchema = Type.Object(
  { input: Type.Number(), output: Type.Number(), cacheRead: Type.Number(), cacheWrite: Type.Number() },
  { description: "USD per million tokens" },
);

/** Deviations of a server from the API it claims to speak; every key is optional and off by default. */
export interface Compat {
  supportsDeveloperRole?: boolean;
  supportsReasoningEffort?: boolean;
  supportsUsageInStreaming?: boolean;
  supportsStore?: boolean;
  supportsStrictMode?: boolean;
  supportsToolChoice?: boolean;
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  requiresToolResultName?: boolean;
  requiresAssistantAfterToolResult?: boolean;
  requiresThinkingAsText?: boolean;
  requiresReasoningContentOnAssistantMessages?: boolean;
  thinkingFormat?: "openai" | "openrouter" | "deepseek" | "together" | "zai" | "qwen" | "qwen-chat-template";
  cacheControlFormat?: "anthropic";
  supportsLongCacheRetention?: boolean;
  openRouterRouting?: Record<string, unknown>;
  vercelGatewayRouting?: Record<string, unknown>;
  extraBody?: Record<string, unknown>;
  supportsEagerToolInputStreaming?: boolean;
  supportsCacheControlOnTools?: boolean;
  /** Anthropic: the model sets its own thinking depth and takes `effort` instead of a token budget. */
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
      Type.Object({}, { description: "level → the provider's word for it; null removes the level" }),
    ),
  ),
});
export type Model = Static<typeof ModelSchema>;

/** `off` plus what the model can do, ascending. `xhigh` exists only where a model names it. */
export function supportedThinkingLevels(model: Model): ThinkingLevel[] {
  if (!model.reasoning) return ["off"];
  return THINKING_LEVELS.filter((level) => {
    if (level === "off") return true;
    const mapped = model.thinkingLevelMap?.[level];
    return level === "xhigh" ? typeof mapped === "string" : mapped !== null;
  });
}

/** Nearest supported level, upwards first. `off` always stays `off`. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model): ThinkingLevel {
  const supported = supportedThinkingLevels(model);
  if (supported.includes(level)) return level;
  const wanted = THINKING_LEVELS.indexOf(level);
  const above = supported.find((candidate) => THINKING_LEVELS.indexOf(candidate) > wanted);
  return above ?? supported.at(-1) ?? "off";
}

/** Adds the prices to token counts. `tokens` are what the provider reported, already split by kind. */
export function toUsage(
  model: Pick<Model, "cost">,
  tokens: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">,
): Usage {
  const { input, output, cacheRead, cacheWrite } = tokens;
  const price = (count: number, perMillion: number) => (count * perMillion) / 1_000_000;
  const cost = {
    input: price(input, model.cost.input),
    output: price(output, model.cost.output),
    cacheRead: price(cacheRead, model.cost.cacheRead),
    cacheWrite: price(cacheWrite, model.cost.cacheWrite),
  };
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite },
  };
}
