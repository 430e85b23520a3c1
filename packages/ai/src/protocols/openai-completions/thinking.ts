import type { Compat, Model } from "../../model.ts";
import { clampThinkingLevel } from "../../thinking.ts";
import type { ResolvedCompat } from "../openai-compat.ts";
import type { RequestOptions } from "../protocol.ts";

interface Thinking {
  on: boolean;
  /** Returns the server's name for the level, or undefined if thinking is off and the model has no name for that. */
  effort: string | undefined;
  /** The same, for servers that accept the field `reasoning_effort`. */
  reasoningEffort: { reasoning_effort?: string };
}

/** How thinking is requested, per family of servers. */
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
