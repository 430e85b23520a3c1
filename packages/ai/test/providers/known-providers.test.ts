import { describe, expect, test } from "bun:test";
import { catalogueOf, findKnownProvider, knownProviders, PROVIDER_APIS } from "../../src/index.ts";

describe("known providers", () => {
  test("are listed in the order in which a default model is chosen, with their key variables", () => {
    expect(knownProviders.map(({ id, keyVariables }) => `${id}: ${keyVariables.join(" ")}`)).toEqual([
      "anthropic: ANTHROPIC_OAUTH_TOKEN ANTHROPIC_API_KEY",
      "openai: OPENAI_API_KEY",
      "google: GEMINI_API_KEY GOOGLE_API_KEY",
      "deepseek: DEEPSEEK_API_KEY",
      "xai: XAI_API_KEY",
      "openrouter: OPENROUTER_API_KEY",
      "vercel-ai-gateway: AI_GATEWAY_API_KEY",
      "mistral: MISTRAL_API_KEY",
      "zai: ZAI_API_KEY",
      "moonshotai: MOONSHOT_API_KEY",
      "minimax: MINIMAX_API_KEY",
      "groq: GROQ_API_KEY",
      "cerebras: CEREBRAS_API_KEY",
      "fireworks: FIREWORKS_API_KEY",
      "together: TOGETHER_API_KEY",
      "huggingface: HF_TOKEN",
      "opencode: OPENCODE_API_KEY",
      "ollama: OLLAMA_API_KEY",
      "lm-studio: LM_STUDIO_API_KEY",
      "llama.cpp: LLAMA_CPP_API_KEY",
    ]);
  });

  test("local servers name the variable of their address and no default model", () => {
    const local = knownProviders.filter(({ baseUrlVariable }) => baseUrlVariable);
    expect(local.map(({ id, baseUrlVariable, defaultModel }) => [id, baseUrlVariable, defaultModel])).toEqual([
      ["ollama", "OLLAMA_BASE_URL", undefined],
      ["lm-studio", "LM_STUDIO_BASE_URL", undefined],
      ["llama.cpp", "LLAMA_CPP_BASE_URL", undefined],
    ]);
  });

  test.each(knownProviders.map((provider) => [provider.id, provider] as const))(
    "%s can be addressed",
    (id, provider) => {
      expect(findKnownProvider(id)).toBe(provider);
      expect(PROVIDER_APIS).toContain(provider.api);
      expect(URL.canParse(provider.baseUrl) && !provider.baseUrl.endsWith("/")).toBe(true);
    },
  );

  test("every hosted provider has models, and its default model has a price", () => {
    const hosted = knownProviders.filter(({ defaultModel }) => defaultModel !== undefined);
    expect(hosted.filter(({ id }) => catalogueOf(id).length === 0)).toEqual([]);
    const missing = hosted.filter(({ id, defaultModel }) =>
      catalogueOf(id).every(({ model }) => model.id !== defaultModel),
    );
    // Its router chooses the vendor, and with it the price, unless the id names one.
    expect(missing.map(({ id }) => id)).toEqual(["huggingface"]);
  });
});
