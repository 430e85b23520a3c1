import { codingAgentOffer } from "./coding-agent-exports.ts";
import type { Offer } from "./offer.ts";
import { StandaloneAgent } from "./standalone-agent.ts";

// `pi-agent-core`: lets an extension run an agent of its own. Older versions export helpers that are now in `pi-coding-agent`.

const SHARED = [
  "DEFAULT_MAX_BYTES",
  "DEFAULT_MAX_LINES",
  "truncateHead",
  "truncateTail",
  "truncateLine",
  "formatSize",
  "convertToLlm",
  "serializeConversation",
  "estimateTokens",
  "calculateContextTokens",
];

export const agentCoreOffer: Offer = {
  works: {
    ...Object.fromEntries(SHARED.map((name) => [name, codingAgentOffer.works[name]])),
    Agent: StandaloneAgent,
    uuidv7: () => Bun.randomUUIDv7(),
  },
};
