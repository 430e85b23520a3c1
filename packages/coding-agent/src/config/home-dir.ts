import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Environment } from "./keys/environment.ts";

/** HOME_DIR: the directory of the user's settings, keys, models and sessions. A project cannot change it. */
export function homeDirectory(env: Environment): string {
  return env.PINTLE_HOME ? resolve(env.PINTLE_HOME) : join(env.HOME || homedir(), ".pintle");
}
