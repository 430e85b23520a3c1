import { existsSync } from "node:fs";
import { join } from "node:path";
import { SERVER_FILES } from "../../trust/covered-places.ts";

/** A file that may define servers. */
export interface ServerPlace {
  path: string;
  /** Takes effect only with consent. */
  isProjects: boolean;
}

/** Lowest precedence first. */
export function serverPlaces(cwd: string, home: string): ServerPlace[] {
  return [
    { path: join(home, "mcp.json"), isProjects: false },
    ...SERVER_FILES.map((name) => ({ path: join(cwd, name), isProjects: true })),
  ];
}

/** Runs at every start, so it only checks whether files exist. Everything else is loaded if one does. */
export function hasServerFile(cwd: string, home: string): boolean {
  return serverPlaces(cwd, home).some(({ path }) => existsSync(path));
}
