import { dirname, join, resolve } from "node:path";
import type { Environment } from "./environment.ts";
import type { Settings } from "./settings.ts";

export interface SessionPlaces {
  cwd: string;
  env: Environment;
  /** pintle's own directory. */
  home: string;
  settings: Pick<Settings, "get" | "origin">;
  /** What the user says for this process. */
  sessionDir?: string | undefined;
}

/** Where sessions are stored. A relative path in a file starts at that file. */
export function sessionDirectory({ cwd, env, home, settings, sessionDir }: SessionPlaces): string {
  const named = sessionDir || env.PINTLE_SESSION_DIR;
  if (named) return resolve(cwd, named);
  const { file } = settings.origin("sessionDir");
  return resolve(file === undefined ? cwd : dirname(file), settings.get("sessionDir") || join(home, "sessions"));
}
