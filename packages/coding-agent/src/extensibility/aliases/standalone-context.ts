import { join } from "node:path";
import { type EnvironmentRules, LazyProcessRunner } from "@pintle/exec";
import { childRules } from "../../config/child-rules.ts";
import { homeDirectory } from "../../config/home-dir.ts";
import { AuthStorage } from "../../config/keys/auth-storage.ts";
import { ModelRegistry } from "../../config/models/model-registry.ts";
import { Settings } from "../../config/settings/settings.ts";
import { Artifacts, artifactLimits } from "../../session/processes/artifacts.ts";
import type { ToolContext } from "../../tools/tool-context.ts";

/** Shared by all tools that extensions create for themselves, possibly before a session exists. */
const processRunner = new LazyProcessRunner(() => {
  rules ??= userRules();
  return rules();
});
let rules: (() => EnvironmentRules) | undefined;
const artifacts = new Artifacts(
  () => undefined,
  () => artifactLimits(Settings.inMemory()),
);

/** Returns the rules in the user's files. Rules given to a single session are unknown here. */
function userRules(): () => EnvironmentRules {
  const home = homeDirectory(process.env);
  const auth = AuthStorage.create(join(home, "auth.json"), { env: process.env });
  return childRules(Settings.create(process.cwd(), home), ModelRegistry.create(auth, join(home, "models.json")));
}

export function standaloneContext(cwd: string): ToolContext {
  return {
    cwd: () => cwd,
    home: homeDirectory(process.env),
    settings: Settings.inMemory(),
    processRunner: () => processRunner.open(),
    newSpillPath: (tool) => artifacts.newPath(tool),
    takesImages: () => true,
    pushPendingAction() {
      throw new Error("Changes can only be staged with pi.pushPendingAction");
    },
  };
}
