// Adds the models of a server with OpenAI's chat completions API (llama.cpp, vLLM, LM Studio, your company's gateway).
// It asks the server for its models, so the list is always up to date.
//   MY_LLM_URL=http://127.0.0.1:9/v1 pintle --extension examples/extensions/local-provider.ts --model pintle/offline -p 'list'
// With a running server: pintle --extension … --model mine/NAME
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = async (pi) => {
  const baseUrl = process.env.MY_LLM_URL;
  if (!baseUrl) return;
  const ids = await modelIds(baseUrl);
  if (ids.length === 0) return;
  pi.registerProvider("mine", {
    baseUrl,
    api: "openai-completions",
    apiKey: "MY_LLM_KEY", // the name of the variable
    models: ids.map((id) => ({ id, contextWindow: 32_768, maxTokens: 4096 })),
  });
};

/** Returns none if the server does not answer: pintle starts without it. */
async function modelIds(baseUrl: string): Promise<string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: { authorization: `Bearer ${process.env.MY_LLM_KEY ?? ""}` },
      signal: AbortSignal.timeout(3000),
    });
    const { data } = (await response.json()) as { data?: { id: string }[] };
    return (data ?? []).map(({ id }) => id);
  } catch {
    return [];
  }
}

export default extension;
