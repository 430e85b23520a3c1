import type { ProviderApi } from "./apis.ts";

/** Built-in facts about a provider. */
export interface KnownProvider {
  id: string;
  name: string;
  api: ProviderApi;
  baseUrl: string;
  /** Environment variables that may contain the key; the first one that is set wins. */
  keyVariables: readonly string[];
  /** Used if nothing else names a model. Local servers have none: pintle asks them what they serve. */
  defaultModel?: string;
  /** Only for servers on the user's machine: they need no key, and this variable contains their address. */
  baseUrlVariable?: string;
}

const chat = { api: "openai-completions" } as const;

/**
 * Ordered: the first provider with a key supplies the default model. Local servers come last, in the order of probing.
 */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
    defaultModel: "claude-opus-5-5",
  },
  {
    id: "openai",
    name: "OpenAI",
    api: "openai-responses", // its chat completions accept tools only without thinking
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    defaultModel: "gpt-6-sol",
  },
  {
    id: "google",
    name: "Google",
    api: "google-generative-ai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    defaultModel: "gemini-3.8-flash",
  },
  {
    ...chat,
    id: "deepseek",
    name: "DeepSeek",
    baseUrl: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    defaultModel: "deepseek-v4-pro",
  },
  {
    ...chat,
    id: "xai",
    name: "xAI",
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    defaultModel: "grok-4.6",
  },
  {
    ...chat,
    id: "openrouter",
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    defaultModel: "anthropic/claude-opus-5.5",
  },
  {
    ...chat,
    id: "vercel-ai-gateway",
    name: "Vercel AI Gateway",
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keyVariables: ["AI_GATEWAY_API_KEY"],
    defaultModel: "anthropic/claude-sonnet-5",
  },
  {
    ...chat,
    id: "mistral",
    name: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    defaultModel: "mistral-medium-3-5",
  },
  {
    ...chat,
    id: "zai",
    name: "Z.AI",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY"],
    defaultModel: "glm-5.3",
  },
  {
    ...chat,
    id: "moonshotai",
    name: "Moonshot AI",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    defaultModel: "kimi-k3",
  },
  {
    id: "minimax",
    name: "MiniMax",
    api: "anthropic-messages", // its OpenAI-compatible endpoint mixes thoughts into the text
    baseUrl: "https://api.minimax.io/anthropic",
    keyVariables: ["MINIMAX_API_KEY"],
    defaultModel: "MiniMax-M3",
  },
  {
    ...chat,
    id: "groq",
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
  },
  {
    ...chat,
    id: "cerebras",
    name: "Cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariables: ["CEREBRAS_API_KEY"],
    defaultModel: "gpt-oss-120b",
  },
  {
    ...chat,
    id: "fireworks",
    name: "Fireworks AI",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY"],
    defaultModel: "accounts/fireworks/models/kimi-k3",
  },
  {
    ...chat,
    id: "together",
    name: "Together AI",
    baseUrl: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHER_API_KEY"],
    defaultModel: "moonshotai/Kimi-K3",
  },
  {
    ...chat,
    id: "huggingface",
    name: "Hugging Face",
    baseUrl: "https://router.huggingface.co/v1",
    keyVariables: ["HF_TOKEN"],
    defaultModel: "openai/gpt-oss-120b",
  },
  {
    ...chat,
    id: "opencode",
    name: "OpenCode Zen",
    baseUrl: "https://opencode.ai/zen/v1",
    keyVariables: ["OPENCODE_API_KEY"],
    defaultModel: "kimi-k2.6",
  },
  {
    ...chat,
    id: "ollama",
    name: "Ollama",
    baseUrl: "http://localhost:11434/v1",
    keyVariables: ["OLLAMA_API_KEY"],
    baseUrlVariable: "OLLAMA_BASE_URL",
  },
  {
    ...chat,
    id: "lm-studio",
    name: "LM Studio",
    baseUrl: "http://localhost:1234/v1",
    keyVariables: ["LM_STUDIO_API_KEY"],
    baseUrlVariable: "LM_STUDIO_BASE_URL",
  },
  {
    ...chat,
    id: "llama.cpp",
    name: "llama.cpp",
    baseUrl: "http://localhost:8080/v1",
    keyVariables: ["LLAMA_CPP_API_KEY"],
    baseUrlVariable: "LLAMA_CPP_BASE_URL",
  },
];

const byId = new Map(knownProviders.map((provider) => [provider.id, provider]));

export function findKnownProvider(id: string): KnownProvider | undefined {
  return byId.get(id);
}
