import { join } from "node:path";
import { isInside, plainLine, realPath } from "@pintle/foundation";
import { readConfigText } from "../config/config-text.ts";
import { LEAVES_TEXT } from "../resources/places/read-text-file.ts";
import { kindOf, walkFolders } from "../resources/places/walk-folders.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { type AgentPlace, type AgentSurroundings, agentPlaces } from "./agent-places.ts";
import { AGENT_ALIASES, BUILT_IN_AGENTS } from "./built-in-agents.ts";
import { parseAgent } from "./parse-agent.ts";

export type { AgentDefinition } from "./agent-definition.ts";

const MAX_BYTES = 64 * 1024;
const MAX_FILES = 500;

export interface AgentInput extends AgentSurroundings {
  trust: Pick<ProjectTrust, "isTrusted" | "isTrustedContent">;
  /** `task.disabledAgents`. */
  disabled: readonly string[];
  /** Definitions of the program that embeds the session, which win over files. */
  given?: readonly AgentDefinition[];
  warn(text: string): void;
}

/** A definition that the model is not offered. */
export interface UnusedAgent {
  agent: AgentDefinition;
  /** A setting excludes it, another definition of the same name wins, or the user has not consented to the project's files. */
  why: "disabled" | "shadowed" | "withheld";
}

/** The agents of a session. */
export interface Agents {
  /** In the order in which the model sees them, without duplicate names. */
  offered: readonly AgentDefinition[];
  unused: readonly UnusedAgent[];
  /** Finds an offered agent by its name or an alias. */
  find(name: string): AgentDefinition | undefined;
}

/** Finds all definitions. The first one of a name wins, and nothing of the project takes effect without consent. */
export function loadAgents(input: AgentInput): Agents {
  const byName = new Map<string, AgentDefinition>();
  const unused: UnusedAgent[] = [];
  const disabled = new Set(input.disabled.flatMap((name) => [name, AGENT_ALIASES.get(name) ?? name]));
  const offer = (agent: AgentDefinition) => {
    if (disabled.has(agent.name)) unused.push({ agent, why: "disabled" });
    else if (byName.has(agent.name)) unused.push({ agent, why: "shadowed" });
    else byName.set(agent.name, agent);
  };
  input.given?.forEach(offer);
  for (const { agent, isAgreed } of readPlaces(input)) {
    if (isAgreed) offer(agent);
    else unused.push({ agent, why: "withheld" });
  }
  BUILT_IN_AGENTS.forEach(offer);
  return {
    offered: [...byName.values()],
    unused,
    find: (name) => byName.get(name) ?? byName.get(AGENT_ALIASES.get(name) ?? name),
  };
}

interface FoundAgent {
  agent: AgentDefinition;
  isAgreed: boolean;
}

function* readPlaces(input: AgentInput): Generator<FoundAgent> {
  const seen = new Set<string>();
  for (const place of agentPlaces(input)) {
    for (const path of filesIn(place.path)) {
      const real = realPath(path);
      if (real === undefined || seen.has(real)) continue;
      seen.add(real);
      if (seen.size > MAX_FILES) {
        input.warn(`there are more than ${MAX_FILES} agent files; the others are not used`);
        return;
      }
      const found = readAgent({ path, real, source: place.source }, input);
      if ("agent" in found) yield found;
      else input.warn(`${plainLine(path)}: ${found.problem}; the file is not used`);
    }
  }
}

/** Reads a file once, so that the content that was consented to is the content that is used. */
function readAgent(
  { path, real, source }: { path: string; real: string; source: AgentPlace["source"] },
  { cwd, trust, warn }: AgentInput,
): FoundAgent | { problem: string } {
  const content = readConfigText(real) ?? { problem: "no longer exists" };
  if ("problem" in content) return content;
  const { text, bytes } = content;
  if (bytes.length > MAX_BYTES) return { problem: `is larger than ${MAX_BYTES / 1024} KB` };
  const agent = parseAgent({ path, text, source });
  if ("problem" in agent) return agent;
  const isAgreed = source === "user" || (trust.isTrusted && trust.isTrustedContent(real, bytes));
  // Consent does not cover such files, so that the notice about the project does not count them.
  if (!isAgreed && !isInside(realPath(cwd) ?? cwd, real)) warn(`${plainLine(path)}: ${LEAVES_TEXT}`);
  return { agent, isAgreed };
}

function filesIn(folder: string): string[] {
  if (kindOf(folder) !== "folder") return [];
  const [top] = walkFolders(folder, { maxFolders: 1, maxDepth: 0, enter: () => false, onLeaving() {} });
  return (top?.names ?? []).filter((name) => name.endsWith(".md")).map((name) => join(folder, name));
}
