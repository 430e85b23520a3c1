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

/** The presets, from the strictest to the most permissive, each with its name in the documentation. */
export const PRESETS: Readonly<Record<PermissionMode, string>> = {
  plan: "plan: read only",
  ask: "ask: before changes",
  workspace: "workspace: change the directory",
  full: "full: everything, unasked",
};

export const LEVELS: Readonly<Record<ThinkingLevel, string>> = {
  off: "thinking: off",
  minimal: "thinking: minimal",
  low: "thinking: low",
  medium: "thinking: medium",
  high: "thinking: high",
  xhigh: "thinking: xhigh",
};

/** Where the model's commands run, in short and in full. */
export function sandboxWords({ mode, strength, missing = [] }: SandboxStatus): { short: string; long: string } {
  if (mode === "off")
    return { short: "no sandbox", long: "The model's commands run with your rights, without a sandbox" };
  const where = mode === "read-only" ? "cannot write anything" : "can write only in the workspace";
  const gaps = missing.length > 0 ? ` It does not prevent: ${missing.join(", ")}.` : "";
  return {
    short: strength === "unknown" ? "sandbox" : `sandbox: ${strength}`,
    long: `The model's commands run in a sandbox (${strength === "unknown" ? "strength not known yet" : strength}) and ${where}.${gaps}`,
  };
}
