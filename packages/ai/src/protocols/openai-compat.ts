import type { Compat, Model } from "../model.ts";
import { alphanumericIds, type ToolCallIdRule, wordIds } from "./tool-call-ids.ts";

/**
 * All deviations resolved: the model's own values first, then what is known about the server, then the cautious
 * default.
 */
export interface ResolvedCompat extends Settled<Compat, SettledKey>, Pick<Compat, OpenKey> {
  toolCallIds: ToolCallIdRule;
}

type Settled<T, K extends keyof T> = Required<Pick<T, K>>;
type SettledKey =
  | "supportsDeveloperRole"
  | "supportsReasoningEffort"
  | "supportsUsageInStreaming"
  | "supportsStore"
  | "supportsStrictMode"
  | "supportsToolChoice"
  | "supportsLongCacheRetention"
  | "supportsPromptCacheKey"
  | "maxTokensField"
  | "requiresToolResultName"
  | "requiresAssistantAfterToolResult"
  | "requiresThinkingAsText"
  | "requiresReasoningContentOnAssistantMessages"
  | "thinkingFormat";
type OpenKey = "cacheControlFormat" | "openRouterRouting" | "vercelGatewayRouting" | "extraBody";

/** For unknown servers: only what every implementation of the API understands. */
const CAUTIOUS: Settled<Compat, SettledKey> = {
  supportsDeveloperRole: false,
  supportsReasoningEffort: true,
  supportsUsageInStreaming: true,
  supportsStore: false,
  supportsStrictMode: false,
  supportsToolChoice: true,
  supportsLongCacheRetention: false,
  supportsPromptCacheKey: false,
  maxTokensField: "max_tokens",
  requiresToolResultName: false,
  requiresAssistantAfterToolResult: false,
  requiresThinkingAsText: false,
  requiresReasoningContentOnAssistantMessages: false,
  thinkingFormat: "openai",
};

interface KnownServer {
  providers: readonly string[];
  /** Domain names; subdomains match as well. */
  hosts: readonly string[];
  compat: Compat | ((model: Model) => Compat);
  toolCallIds?: ToolCallIdRule;
}

const OPENAI_HOST = "api.openai.com";

/** Servers that differ from the cautious default. Groq, Cerebras, Fireworks, Ollama and LM Studio do not. */
const KNOWN_SERVERS: readonly KnownServer[] = [
  {
    providers: ["openai"],
    hosts: [OPENAI_HOST],
    compat: (model) => ({
      supportsDeveloperRole: model.reasoning,
      supportsStore: true,
      supportsStrictMode: true,
      maxTokensField: "max_completion_tokens",
    }),
  },
  {
    providers: ["openrouter"],
    hosts: ["openrouter.ai"],
    compat: (model) => ({
      thinkingFormat: "openrouter",
      ...(model.id.startsWith("anthropic/") && { cacheControlFormat: "anthropic", supportsLongCacheRetention: true }),
    }),
  },
  {
    providers: ["vercel-ai-gateway"],
    hosts: ["ai-gateway.vercel.sh"],
    compat: { thinkingFormat: "openrouter" }, // the same `reasoning` object
  },
  {
    providers: ["deepseek"],
    hosts: ["api.deepseek.com"],
    compat: (model) => ({
      thinkingFormat: "deepseek",
      requiresReasoningContentOnAssistantMessages: model.reasoning,
    }),
  },
  {
    providers: ["mistral"],
    hosts: ["api.mistral.ai"],
    // Validates strictly: unknown fields, including `include_usage`, cause a 422. Usage is sent without asking.
    compat: { supportsUsageInStreaming: false, requiresToolResultName: true, requiresThinkingAsText: true },
    toolCallIds: alphanumericIds(9),
  },
  {
    providers: ["xai"],
    hosts: ["api.x.ai"],
    // Some Grok models refuse the field; the catalogue lists the levels of those that accept it.
    compat: (model) => ({ supportsReasoningEffort: model.thinkingLevelMap !== undefined }),
  },
  {
    providers: ["together"],
    hosts: ["api.together.xyz", "api.together.ai"],
    compat: { thinkingFormat: "together" },
  },
  {
    providers: ["zai"],
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    compat: { thinkingFormat: "zai" },
  },
  {
    providers: ["moonshotai"],
    hosts: ["api.moonshot.ai", "api.moonshot.cn"],
    compat: { supportsReasoningEffort: false },
  },
  {
    providers: ["minimax"],
    hosts: ["api.minimax.io", "api.minimaxi.com"],
    compat: { supportsReasoningEffort: false },
  },
  {
    providers: ["qwen", "dashscope"],
    hosts: ["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"],
    compat: { thinkingFormat: "qwen" },
  },
  {
    providers: ["llama.cpp", "vllm", "sglang"],
    hosts: [],
    compat: { thinkingFormat: "qwen-chat-template" },
  },
];

const USUAL_IDS = wordIds(40);

/** Cached, because every request asks several times; models are never changed, only replaced. */
const resolved = new WeakMap<Model, Readonly<ResolvedCompat>>();

export function resolveCompat(model: Model): Readonly<ResolvedCompat> {
  const known = resolved.get(model);
  if (known) return known;
  const compat = resolve(model);
  resolved.set(model, compat);
  return compat;
}

function resolve(model: Model): ResolvedCompat {
  const host = hostOf(model.baseUrl);
  // The address takes precedence over the name: `openai` with another vendor's address is that vendor. A proxy's
  // address is in no table, so the name decides there.
  const server =
    KNOWN_SERVERS.find(({ hosts }) => hosts.some((known) => isHostWithin(host, known))) ??
    KNOWN_SERVERS.find(({ providers }) => providers.includes(model.provider));
  const known = typeof server?.compat === "function" ? server.compat(model) : server?.compat;
  const isOpenAi = isHostWithin(host, OPENAI_HOST);
  return {
    ...CAUTIOUS,
    supportsLongCacheRetention: isOpenAi, // not of a proxy in front of it
    // A field of the Responses API itself; servers of the older API refuse or ignore it.
    supportsPromptCacheKey: isOpenAi || model.api === "openai-responses",
    ...known,
    ...definedOnly(model.compat),
    toolCallIds: server?.toolCallIds ?? USUAL_IDS,
  };
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
}

/** Compares whole labels: `api.openai.com.evil.test` and `notapi.openai.com` are other hosts. */
function isHostWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** A key that is present but undefined must not hide the default. */
function definedOnly(compat: Compat = {}): Compat {
  return Object.fromEntries(Object.entries(compat).filter(([, value]) => value !== undefined && value !== null));
}
