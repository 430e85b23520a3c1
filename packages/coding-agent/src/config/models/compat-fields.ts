import { type Compat, isRecord } from "@pintle/ai";
import type { FieldReader } from "../field-reader.ts";

/** Every compat key and the values it accepts; a new key does not compile until it is added here. */
const COMPAT_FIELDS: {
  [K in keyof Required<Compat>]: "count" | "flag" | "object" | readonly Extract<Compat[K], string>[];
} = {
  supportsDeveloperRole: "flag",
  supportsReasoningEffort: "flag",
  supportsUsageInStreaming: "flag",
  supportsStore: "flag",
  supportsStrictMode: "flag",
  supportsToolChoice: "flag",
  supportsOutputSchema: "flag",
  maxTokensField: ["max_tokens", "max_completion_tokens"],
  requiresToolResultName: "flag",
  requiresAssistantAfterToolResult: "flag",
  requiresThinkingAsText: "flag",
  requiresReasoningContentOnAssistantMessages: "flag",
  thinkingFormat: ["openai", "openrouter", "deepseek", "together", "zai", "qwen", "qwen-chat-template"],
  cacheControlFormat: ["anthropic"],
  supportsLongCacheRetention: "flag",
  supportsPromptCacheKey: "flag",
  openRouterRouting: "object",
  vercelGatewayRouting: "object",
  extraBody: "object",
  supportsEagerToolInputStreaming: "flag",
  supportsCacheControlOnTools: "flag",
  maxTools: "count",
  adaptiveThinking: "flag",
};

export function readCompat(fields: FieldReader): Compat {
  const compat: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(COMPAT_FIELDS)) {
    const value = readKind(fields, name, kind);
    if (value !== undefined) compat[name] = value;
  }
  fields.warnAboutUnknown();
  return compat;
}

function readKind(fields: FieldReader, name: string, kind: string | readonly string[]): unknown {
  if (typeof kind !== "string") return fields.choice(name, kind);
  if (kind === "count") return fields.count(name);
  return kind === "flag" ? fields.flag(name) : fields.anyObject(name);
}

/** Merges objects key by key; other values replace. Neither input is changed. */
export function mergeCompat(base: Compat | undefined, patch: Compat | undefined): Compat | undefined {
  return base && patch ? (mergeObjects(base, patch) as Compat) : (patch ?? base);
}

function mergeObjects(base: object, patch: object): object {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const existing = merged.get(key);
    merged.set(key, isRecord(existing) && isRecord(value) ? mergeObjects(existing, value) : value);
  }
  return Object.fromEntries(merged);
}
