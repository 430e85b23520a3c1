import type { Model } from "./model.ts";
import { offlineModel } from "./offline/offline-info.ts";
import type { ThinkingLevel } from "./thinking.ts";

const APIS_WITH_FORMAT: ReadonlySet<string> = new Set([
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
]);

/**
 * Whether a model accepts a response format: `with-tools` if it is known to work in requests that also have tools,
 * `untested` if only the API is known to have one.
 */
export function supportsOutputFormat({ api, compat }: Model): "with-tools" | "untested" | "none" {
  if (api === offlineModel.api) return "with-tools";
  if (!APIS_WITH_FORMAT.has(api)) return "none";
  return compat?.supportsOutputSchema === true ? "with-tools" : "untested";
}

/** Returns whether a request may force a tool. Anthropic's API refuses that while the model thinks. */
export function takesForcedTool({ api, reasoning, compat, thinkingLevelMap }: Model, level: ThinkingLevel): boolean {
  if (compat?.supportsToolChoice === false) return false;
  if (api !== "anthropic-messages" || !reasoning) return true;
  return level === "off" && thinkingLevelMap?.off !== "low";
}
