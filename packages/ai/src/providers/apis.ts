/** Every wire API a provider may name. `ai-sdk` is none: a package that the user installed speaks for us. */
export const PROVIDER_APIS = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
  "ai-sdk",
] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];
