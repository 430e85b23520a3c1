import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "./keys/environment.ts";
import type { Settings } from "./settings/settings.ts";

export interface SessionPlaces {
  cwd: string;
  env: Environment;
  /** pintle's own directory. */
  home: string;
  settings: Pick<Settings, "get" | "origin">;
  /** What the user specified for this process. */
  sessionDir?: string | undefined;
  /** True for clients of pi, which look for sessions where pi stores them. */
  isForPi?: boolean | undefined;
}

export interface SessionPlace {
  directory: string;
  /**
   * True if the files are in the directory itself; otherwise it contains one directory per working directory. Both are searched.
   */
  isFlat: boolean;
  /** True if other programs read what is written there. */
  isShared: boolean;
}

/** Returns where sessions are stored. A relative path in a settings file starts at that file. */
export function sessionPlace({ cwd, env, home, settings, sessionDir, isForPi }: SessionPlaces): SessionPlace {
  const own = { isFlat: false, isShared: false };
  // Other programs of the family treat the flag the same way: hosts list the files of the directory they named.
  if (sessionDir) return { ...own, directory: resolve(cwd, sessionDir), isFlat: true };
  if (env.PINTLE_SESSION_DIR) return { ...own, directory: resolve(cwd, env.PINTLE_SESSION_DIR) };
  const { file } = settings.origin("sessionDir");
  const set = settings.get("sessionDir");
  if (set) return { ...own, directory: resolve(file === undefined ? cwd : dirname(file), set) };
  return (isForPi && piPlace(cwd, env)) || { ...own, directory: join(home, "sessions") };
}

/** Returns where pi stores its sessions, if it is set up: by its variables or its existing directory. */
function piPlace(cwd: string, env: Environment): SessionPlace | undefined {
  const userHome = env.HOME || homedir();
  const at = (path: string) => resolve(cwd, path.replace(/^~(?=\/|$)/, userHome));
  if (env.PI_CODING_AGENT_SESSION_DIR)
    return { directory: at(env.PI_CODING_AGENT_SESSION_DIR), isFlat: true, isShared: true };
  const directory = join(at(env.PI_CODING_AGENT_DIR || "~/.pi/agent"), "sessions");
  if (!env.PI_CODING_AGENT_DIR && !existsSync(directory)) return undefined;
  return { directory, isFlat: false, isShared: true };
}
