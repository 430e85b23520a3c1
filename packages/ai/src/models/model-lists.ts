/** Prices in USD per million tokens; limits in tokens. */
export type Figures = readonly [input: number, output: number, cacheRead: number, cacheWrite: number, window: number];

export interface ListedModel {
  id: string;
  name: string;
  figures: Figures;
}

// Bundled, but evaluated only when a provider's models are needed: most starts need one list or none. `require` keeps
// the registry synchronous.
const LISTS: Readonly<Record<string, () => { rows: string }>> = {
  anthropic: () => require("./lists/anthropic.ts"),
  openai: () => require("./lists/openai.ts"),
  google: () => require("./lists/google.ts"),
  deepseek: () => require("./lists/deepseek.ts"),
  xai: () => require("./lists/xai.ts"),
  openrouter: () => require("./lists/openrouter.ts"),
  mistral: () => require("./lists/mistral.ts"),
  zai: () => require("./lists/zai.ts"),
  moonshotai: () => require("./lists/moonshotai.ts"),
  minimax: () => require("./lists/minimax.ts"),
  groq: () => require("./lists/groq.ts"),
  cerebras: () => require("./lists/cerebras.ts"),
  fireworks: () => require("./lists/fireworks.ts"),
  huggingface: () => require("./lists/huggingface.ts"),
};

/** Returns the models of a provider in the generated price list, or none if the provider is not listed. */
export function listedModels(providerId: string): ListedModel[] {
  const { rows } = LISTS[providerId]?.() ?? { rows: "" };
  return rows
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id = "", name = "", ...figures] = line.split("\t");
      const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0, window = 0] = figures.map(Number);
      return { id, name, figures: [input, output, cacheRead, cacheWrite, window] };
    });
}
