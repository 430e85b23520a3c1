import { errorText } from "@pintle/ai";
import { createRedactor } from "@pintle/ai/secrets";
import { checkMcpServers } from "./check-mcp.ts";
import { checkKeys, checkModelServers, checkModels } from "./check-models.ts";
import { checkPermissions } from "./check-permissions.ts";
import { checkConfiguration, checkDirectories, checkNativeParts, checkProgram, checkTerminal } from "./check-places.ts";
import { checkModules, checkTrust } from "./check-project.ts";
import { broken, type Check, type Finding, type Surroundings } from "./finding.ts";

/** The checks in the order in which they are shown. `configuration` follows the checks that read the configuration. */
const CHECKS: Readonly<Record<string, Check>> = {
  program: checkProgram,
  directories: checkDirectories,
  keys: checkKeys,
  models: checkModels,
  "model servers": checkModelServers,
  permissions: checkPermissions,
  trust: checkTrust,
  extensions: checkModules,
  mcp: checkMcpServers,
  configuration: checkConfiguration,
  native: checkNativeParts,
  terminal: checkTerminal,
};

export type CheckedFinding = Finding & { check: string };

/** Runs one check after the other. A check that fails is itself a finding. Masks secrets, because findings are shared. */
export async function examine(surroundings: Surroundings): Promise<CheckedFinding[]> {
  const all: CheckedFinding[] = [];
  const redactor = createRedactor(surroundings.registry.knownSecrets(surroundings.settings.get("env.withhold")));
  for (const [name, check] of Object.entries(CHECKS)) {
    const found = await Promise.try(check, surroundings).catch((error: unknown) => [
      broken(`the check failed: ${errorText(error)}`),
    ]);
    all.push(...found.map((finding) => ({ check: name, ...finding, text: redactor.text(finding.text) })));
  }
  return all;
}
