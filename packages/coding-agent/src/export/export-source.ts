import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "../config/environment.ts";
import { homeDirectory } from "../config/home-dir.ts";
import { sessionDirectory } from "../config/session-directory.ts";
import { Settings } from "../config/settings.ts";
import { resolveSessionPath } from "../session/session-choice.ts";
import { SessionStore } from "../session/storage/session-store.ts";

export interface SourceOptions {
  cwd: string;
  env: Environment;
  /** Where sessions are stored, when the user says so. */
  sessionDir?: string;
  report?: (problem: string) => void;
}

/** The file of the session that somebody named: by a path, or by the beginning of its id. */
export async function findSessionFile(name: string, options: SourceOptions): Promise<string> {
  const path = resolve(options.cwd, name);
  return existsSync(path) ? path : resolve(options.cwd, await resolveSessionPath(storeOf(options), name));
}

function storeOf({ cwd, env, sessionDir, report = () => {} }: SourceOptions): SessionStore {
  const home = homeDirectory(env);
  return new SessionStore({
    cwd,
    sessionDir: sessionDirectory({ cwd, env, home, sessionDir, settings: Settings.create(cwd, home, { report }) }),
    blobDir: join(home, "blobs"),
    clock: { now: Date.now },
    process: { pid: process.pid, host: "", startedAt: "" }, // only a writer has to say who it is
  });
}
