// Brings the models of a server that speaks OpenAI's chat completions (llama.cpp, vLLM, LM Studio, a gateway of your company). It asks the
// server which models there are, so nothing has to be kept up to date.
//   MY_LLM_URL=http://127.0.0.1:9/v1 pintle --extension examples/extensions/local-provider.ts --model pintle/offline -p 'list'
// With a server that runs: pintle --extension … --model mine/NAME
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

/** None when the server does not answer: pintle starts without it. */
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
