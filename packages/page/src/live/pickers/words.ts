import type { Model, PermissionMode, SandboxStatus, ThinkingLevel } from "@pintle/client/core";
import { money, shortNumber } from "../../format.ts";
import type { Choice } from "./filter-choices.ts";

export const modelId = ({ provider, id }: Pick<Model, "provider" | "id">): string => `${provider}/${id}`;

export function modelChoice(model: Model): Choice {
  const { name, contextWindow, cost, reasoning } = model;
  const facts = [
    modelId(model),
    ...(contextWindow > 0 ? [`${shortNumber(contextWindow)} tokens`] : []),
    ...(cost.input > 0 || cost.output > 0 ? [`${money(cost.input)} in, ${money(cost.output)} out per million`] : []),
    ...(reasoning ? ["thinks"] : []),
  ];
  return { id: modelId(model), label: name, detail: facts.join(" · ") };
}

/** The presets, from the strictest to the freest. */
export const PRESETS: Readonly<Record<PermissionMode, string>> = {
  plan: "Plan: reads only",
  ask: "Ask before changes",
  workspace: "Free in the directory",
  full: "Everything, unasked",
};

export const LEVELS: Readonly<Record<ThinkingLevel, string>> = {
  off: "No thinking",
  minimal: "Thinks minimally",
  low: "Thinks a little",
  medium: "Thinks",
  high: "Thinks hard",
  xhigh: "Thinks hardest",
};

/** Where commands of the model run, in a word and in full. */
export function sandboxWords({ mode, strength, missing = [] }: SandboxStatus): { short: string; long: string } {
  if (mode === "off")
    return { short: "no sandbox", long: "Commands of the model run with your rights, without a sandbox" };
  const where = mode === "read-only" ? "may write nothing" : "may write in the directory";
  const gaps = missing.length > 0 ? ` What it does not keep off: ${missing.join(", ")}.` : "";
  return {
    short: strength === "unknown" ? "sandbox" : `sandbox: ${strength}`,
    long: `Commands of the model run in a sandbox (${strength === "unknown" ? "strength not tried yet" : strength}) and ${where}.${gaps}`,
  };
}
