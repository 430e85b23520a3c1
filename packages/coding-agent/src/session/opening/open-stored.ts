import { join } from "node:path";
import { describeProcess } from "@pintle/foundation";
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

/** Opens the store for callers that start no session: most only read. */
export function openStoredSessions(place: StorePlace & { mayWrite?: true }): SessionStore {
  return new SessionStore({
    cwd: place.cwd,
    sessionDir: storedSessionsDirectory(place),
    blobDir: join(homeDirectory(place.env), "blobs"),
    clock: { now: Date.now },
    // Only writers need to identify themselves.
    process: place.mayWrite ? describeProcess() : { pid: process.pid, host: "", startedAt: "" },
    notify: ({ message }) => place.report?.(message),
  });
}

function storedSessionsDirectory({ cwd, env, sessionDir, report = () => {} }: StorePlace): string {
  const home = homeDirectory(env);
  return sessionPlace({ cwd, env, home, sessionDir, settings: Settings.create(cwd, home, { report }) }).directory;
}
