import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../config/environment.ts";
import { homeDirectory } from "../config/home-dir.ts";
import { Settings } from "../config/settings.ts";
import { SessionError } from "../session/session-error.ts";
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
  if (/[/\\]|\.jsonl$/.test(name) || existsSync(path)) return path;
  const found = await storeOf(options).find(name);
  const session = found.length === 1 ? found[0] : found.find(({ id }) => id === name);
  if (session) return session.path;
  if (found.length === 0) {
    throw new SessionError("not_found", `Session not found: ${name} is neither a file nor the beginning of an id`);
  }
  throw new SessionError(
    "invalid_request",
    `"${name}" is the beginning of ${found.length} session ids; give more of it`,
  );
}

function storeOf({ cwd, env, sessionDir, report = () => {} }: SourceOptions): SessionStore {
  const home = homeDirectory(env);
  return new SessionStore({
    cwd,
    sessionDir: sessionDirectory({ cwd, env, sessionDir, home, report }),
    blobDir: join(home, "blobs"),
    clock: { now: Date.now },
    process: { pid: process.pid, host: "", startedAt: "" }, // only a writer has to say who it is
  });
}

interface Places {
  cwd: string;
  env: Environment;
  sessionDir: string | undefined;
  home: string;
  report: (problem: string) => void;
}

/** The same place where a run with these options would store its session. */
function sessionDirectory({ cwd, env, sessionDir, home, report }: Places): string {
  const named = sessionDir || env.PINTLE_SESSION_DIR;
  if (named) return resolve(cwd, named);
  const settings = Settings.create(cwd, home, { report });
  const { file } = settings.origin("sessionDir");
  return resolve(file === undefined ? cwd : dirname(file), settings.get("sessionDir") || join(home, "sessions"));
}
