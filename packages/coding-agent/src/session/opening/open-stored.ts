import { join } from "node:path";
import { SessionStore } from "@pintle/storage";
import { homeDirectory } from "../../config/home-dir.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { sessionPlace } from "../../config/session-directory.ts";
import { Settings } from "../../config/settings/settings.ts";

export interface StorePlace {
  cwd: string;
  env: Environment;
  /** Where sessions are stored, if the user has chosen a directory. */
  sessionDir?: string | undefined;
  report?: (problem: string) => void;
}

/** Opens the store for callers that only read sessions. */
export function openStoredSessions(place: StorePlace): SessionStore {
  return new SessionStore({
    cwd: place.cwd,
    sessionDir: storedSessionsDirectory(place),
    blobDir: join(homeDirectory(place.env), "blobs"),
    clock: { now: Date.now },
    process: { pid: process.pid, host: "", startedAt: "" }, // only writers need to identify themselves
  });
}

function storedSessionsDirectory({ cwd, env, sessionDir, report = () => {} }: StorePlace): string {
  const home = homeDirectory(env);
  return sessionPlace({ cwd, env, home, sessionDir, settings: Settings.create(cwd, home, { report }) }).directory;
}
