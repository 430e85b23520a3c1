import type { Model } from "../model.ts";

/** Always available: no key, no network, no AI. Its rules load with the first request. */
export const offlineModel: Model = {
  id: "offline",
  name: "Offline (rules, no AI)",
  api: "pintle-offline",
  provider: "pintle",
  baseUrl: "pintle-offline",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 32_768,
  maxTokens: 4_096,
};
