import { nearNames } from "@pintle/agent";
import { StartUpError } from "../config/start-up-error.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { excludedBy, isListed, isPattern, namesIn } from "../session/tools/tool-selection.ts";
import { isFamilyName } from "../tools/family-names.ts";
import type { CreateAgentSessionOptions } from "./options.ts";

/**
 * Checks tool names. A misspelled name among the excluded tools would leave that tool enabled, so without a host that reads
 * warnings it prevents the start.
 */
export function judgeToolNames(
  { tooling }: AgentSession,
  { tools = [], excludeTools = [], isUnattended = false }: CreateAgentSessionOptions,
  { report, mayKnowMore }: { report(problem: string): void; mayKnowMore: boolean },
): void {
  const known = tooling.registry.names();
  const excluded = [...excludeTools, ...tools.filter((entry) => entry.startsWith("-")).map((entry) => entry.slice(1))];
  for (const name of new Set([...namesIn(tools), ...excluded])) {
    if (name.startsWith("mcp__") || isFamilyName(name)) continue;
    const meant = excludedBy(name);
    if (known.some((one) => isListed(meant, one))) continue;
    const [near] = isPattern(name) ? [] : nearNames(name, known);
    const problem = `there is no tool "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`;
    if (isUnattended && !mayKnowMore && excluded.includes(name)) throw new StartUpError(problem);
    report(problem);
  }
}
