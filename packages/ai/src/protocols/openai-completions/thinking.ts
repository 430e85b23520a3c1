import type { Compat, Model } from "../../model.ts";
import { clampThinkingLevel } from "../../thinking.ts";
import type { ResolvedCompat } from "../openai-compat.ts";
import type { RequestOptions } from "../protocol.ts";

interface Thinking {
  on: boolean;
  /** The server's word for the level. Undefined when thinking is off and the model has no word for that. */
  effort: string | undefined;
  /** The same, where the server takes the field `reasoning_effort`. */
  reasoningEffort: { reasoning_effort?: string };
}

/** How each family of servers is told to think. */
const THINKING_FIELDS: Record<NonNullable<Compat["thinkingFormat"]>, (thinking: Thinking) => object> = {
  openai: ({ reasoningEffort }) => reasoningEffort,
  openrouter: ({ effort }) => ({ reasoning: { effort: effort ?? "none" } }),
  together: ({ on }) => ({ reasoning: { enabled: on } }),
  zai: ({ on }) => ({ enable_thinking: on }),
  qwen: ({ on }) => ({ enable_thinking: on }),
  "qwen-chat-template": ({ on }) => ({ chat_template_kwargs: { enable_thinking: on } }),
  deepseek: ({ on, reasoningEffort }) => ({
    thinking: { type: on ? "enabled" : "disabled" },
    ...(on && reasoningEffort),
  }),
};

export function thinkingFields(model: Model, options: RequestOptions, compat: ResolvedCompat): object {
  if (!model.reasoning) return {};
  const level = clampThinkingLevel(options.thinkingLevel ?? "off", model);
  const on = level !== "off";
  const effort = model.thinkingLevelMap?.[level] ?? (on ? level : undefined);
  const reasoningEffort = effort !== undefined && compat.supportsReasoningEffort ? { reasoning_effort: effort } : {};
  return THINKING_FIELDS[compat.thinkingFormat]({ on, effort, reasoningEffort });
}
