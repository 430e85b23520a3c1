import { type ModelChoice, type ModelsToSearch, resolveModelPattern } from "../config/models/model-pattern.ts";
import type { AgentDefinition } from "./agent-definition.ts";

/** Roles of models, as other agents write them. pintle has no roles, so that the next model or the parent's is used. */
const ROLE = /^(?:@|pi\/)\w+$/;

/**
 * Returns the first usable model of an agent; `override` is its value in `task.agentModelOverrides`. Without a choice the
 * agent runs on its parent's model, and `warning` says why if its author named others.
 */
export function chooseAgentModel(
  { name, model }: Pick<AgentDefinition, "name" | "model">,
  override: string | undefined,
  search: Required<ModelsToSearch>,
): { choice?: ModelChoice; warning?: string } {
  const written = override?.split(",").map((pattern) => pattern.trim()) ?? model ?? [];
  const patterns = written.filter((pattern) => pattern !== "" && pattern !== "inherit" && !ROLE.test(pattern));
  for (const pattern of patterns) {
    const found = resolveModelPattern(pattern, search);
    if (!("error" in found) && search.isUsable(found.model)) {
      return { choice: { model: found.model, ...(found.thinkingLevel && { thinkingLevel: found.thinkingLevel }) } };
    }
  }
  if (patterns.length === 0) return {};
  return {
    warning: `The agent "${name}" runs on the model of its parent, because none of its own can be used: ${patterns.join(", ")}`,
  };
}
