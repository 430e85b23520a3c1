import { existsSync } from "node:fs";
import { join } from "node:path";
import { isSamePlace } from "../resources/places/resource-places.ts";
import { AGENT_FOLDERS } from "../trust/covered-places.ts";
import type { AgentSource } from "./agent-definition.ts";

export interface AgentPlace {
  path: string;
  source: Exclude<AgentSource, "bundled">;
}

export interface AgentSurroundings {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  userHome: string;
}

/** Returns the folders with definitions, in order of precedence. */
export function agentPlaces({ cwd, home, userHome }: AgentSurroundings): AgentPlace[] {
  // In the home directory these folders are the user's own, or belong to no project.
  const ofProject = isSamePlace(cwd, userHome) ? [] : AGENT_FOLDERS.map((folder) => join(cwd, folder));
  const ofUser = [join(home, "agents"), join(userHome, ".omp", "agent", "agents"), join(userHome, ".claude", "agents")];
  return [
    ...ofProject
      .filter((path) => !ofUser.some((own) => isSamePlace(own, path)))
      .map((path) => ({ path, source: "project" as const })),
    ...ofUser.map((path) => ({ path, source: "user" as const })),
  ];
}

/** Returns the folder with the project's definitions that has precedence; null if the project has none. */
export function projectAgentsFolder(cwd: string): string | null {
  return AGENT_FOLDERS.map((folder) => join(cwd, folder)).find((path) => existsSync(path)) ?? null;
}
