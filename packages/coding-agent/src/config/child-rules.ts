import type { EnvironmentRules } from "@pintle/exec";
import type { ModelRegistry } from "./models/model-registry.ts";
import type { Settings } from "./settings/settings.ts";

/** Returns which variables children do not inherit, according to the settings and configured keys when a child starts. */
export function childRules(
  settings: Pick<Settings, "get">,
  registry: Pick<ModelRegistry, "keyVariables">,
): () => EnvironmentRules {
  return () => ({
    keyVariables: registry.keyVariables(),
    withhold: settings.get("env.withhold"),
    pass: settings.get("env.pass"),
  });
}
