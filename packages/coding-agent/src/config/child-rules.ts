import type { EnvironmentRules } from "../processes/child/child-environment.ts";
import type { ModelRegistry } from "./models/model-registry.ts";
import type { Settings } from "./settings/settings.ts";

/** What children do not inherit, as the settings and the configured keys say at the moment one is started. */
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
