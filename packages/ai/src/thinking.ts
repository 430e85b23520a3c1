import type { Model } from "./model.ts";

/** Ascending; clamping and cycling rely on the order. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** `off` plus what the model can do, ascending. `xhigh` exists only where a model names it. */
export function supportedThinkingLevels(model: Model): ThinkingLevel[] {
  if (!model.reasoning) return ["off"];
  return THINKING_LEVELS.filter((level) => {
    if (level === "off") return true;
    const mapped = model.thinkingLevelMap?.[level];
    return level === "xhigh" ? typeof mapped === "string" : mapped !== null;
  });
}

/** Nearest supported level, upwards first. `off` always stays `off`. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model): ThinkingLevel {
  const supported = supportedThinkingLevels(model);
  if (supported.includes(level)) return level;
  const wanted = THINKING_LEVELS.indexOf(level);
  const above = supported.find((candidate) => THINKING_LEVELS.indexOf(candidate) > wanted);
  return above ?? supported.at(-1) ?? "off";
}
