import { existsSync } from "node:fs";
import { join } from "node:path";
import { SERVER_FILES } from "../../trust/covered-places.ts";

/** A file in which servers may be written down. */
export interface ServerPlace {
  path: string;
  /** Acts only with consent. */
  isProjects: boolean;
}

/** The weakest first. */
export function serverPlaces(cwd: string, home: string): ServerPlace[] {
  return [
    { path: join(home, "mcp.json"), isProjects: false },
    ...SERVER_FILES.map((name) => ({ path: join(cwd, name), isProjects: true })),
  ];
}

/** Asked at every start: a few looks at the disk. Everything else is loaded after a yes. */
export function hasServerFile(cwd: string, home: string): boolean {
  return serverPlaces(cwd, home).some(({ path }) => existsSync(path));
}
