import type { Model } from "./model.ts";

/** Ascending; clamping and cycling rely on the order. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** Levels that exist only where a model names them. */
const NAMED_LEVELS: readonly ThinkingLevel[] = ["xhigh", "max"];

/** The levels that the default dialect reports to hosts; it reports the highest two as one. */
export const REPORTED_THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;

/** What hosts, flags and patterns may contain. `auto` is not a level: the default one applies. */
export const THINKING_WORDS = [...THINKING_LEVELS, "auto"] as const;
export type ThinkingWord = (typeof THINKING_WORDS)[number];

/** Returns `off` plus the levels that the model supports, ascending. */
export function supportedThinkingLevels(model: Model): ThinkingLevel[] {
  if (!model.reasoning) return ["off"];
  return THINKING_LEVELS.filter((level) => {
    if (level === "off") return true;
    const mapped = model.thinkingLevelMap?.[level];
    return NAMED_LEVELS.includes(level) ? typeof mapped === "string" : mapped !== null;
  });
}

/** Returns the nearest supported level, upwards first. `off` always stays `off`. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model): ThinkingLevel {
  const supported = supportedThinkingLevels(model);
  if (supported.includes(level)) return level;
  const wanted = THINKING_LEVELS.indexOf(level);
  const above = supported.find((candidate) => THINKING_LEVELS.indexOf(candidate) > wanted);
  return above ?? supported.at(-1) ?? "off";
}
