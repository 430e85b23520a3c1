import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { openStoredSessions, type StorePlace } from "../session/opening/open-stored.ts";
import { resolveSessionPath } from "../session/opening/session-choice.ts";

/** Returns the file of a session, given its path, id prefix or name. */
export async function findSessionFile(name: string, place: StorePlace): Promise<string> {
  const path = resolve(place.cwd, name);
  if (existsSync(path)) return path;
  return resolve(place.cwd, await resolveSessionPath(openStoredSessions(place), name, place.cwd));
}
