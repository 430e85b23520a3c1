import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { resolveSessionPath } from "../session/opening/session-choice.ts";
import { openStoredSessions, type StorePlace } from "../session/opening/stored-sessions.ts";

/** The file of the session that was named: by a path, the beginning of its id, or its name. */
export async function findSessionFile(name: string, place: StorePlace): Promise<string> {
  const path = resolve(place.cwd, name);
  if (existsSync(path)) return path;
  return resolve(place.cwd, await resolveSessionPath(openStoredSessions(place), name, place.cwd));
}
