import { SessionError } from "./session-error.ts";
import type { SessionManager } from "./storage/session-manager.ts";
import type { SessionStore } from "./storage/session-store.ts";

/** Which conversation a process starts with; at most one of the first four. */
export interface SessionChoice {
  /** A path, or the beginning of an id. */
  open?: string;
  /** Newest of this working directory. */
  continueRecent?: boolean;
  /** Copies the conversation of that path or id. */
  fork?: string;
  /** The session with exactly this id; a new one when there is none. */
  id?: string;
  inMemory?: boolean;
  name?: string;
}

const ID_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

export async function chooseSession(store: SessionStore, choice: SessionChoice, cwd: string): Promise<SessionManager> {
  if (choice.id !== undefined && !ID_PATTERN.test(choice.id)) {
    throw new SessionError(
      "invalid_request",
      `A session id consists of letters, digits, ".", "_" and "-", not "${choice.id}"`,
    );
  }
  const manager = await find(store, choice, cwd);
  try {
    if (choice.name !== undefined) manager.setName(choice.name);
    return manager;
  } catch (error) {
    manager.close();
    throw error;
  }
}

async function find(store: SessionStore, choice: SessionChoice, cwd: string): Promise<SessionManager> {
  const id = choice.id === undefined ? {} : { id: choice.id };
  if (choice.inMemory) return store.createInMemory(id);
  if (choice.fork !== undefined) return fork(store, choice.fork);
  if (choice.open !== undefined) return store.open(await resolveSessionPath(store, choice.open));
  if (choice.continueRecent) return store.continueRecent();
  if (choice.id !== undefined) {
    const existing = (await store.find(choice.id)).find((session) => session.id === choice.id && session.cwd === cwd);
    return existing ? store.open(existing.path) : store.create(id);
  }
  return store.create();
}

async function fork(store: SessionStore, from: string): Promise<SessionManager> {
  const original = await store.open(await resolveSessionPath(store, from), { access: "read" });
  const copy = original.clone();
  original.close();
  return copy;
}

/** Something with a separator or the ending of a session file is a path; anything else is an id. */
export async function resolveSessionPath(store: SessionStore, pathOrId: string): Promise<string> {
  if (/[/\\]|\.jsonl$/.test(pathOrId)) return pathOrId;
  const found = await store.find(pathOrId);
  if (found.length === 1 && found[0]) return found[0].path;
  const exact = found.find((session) => session.id === pathOrId);
  if (exact) return exact.path;
  if (found.length === 0) throw new SessionError("not_found", `Session not found: ${pathOrId}`);
  throw new SessionError(
    "invalid_request",
    `"${pathOrId}" is the beginning of ${found.length} session ids; give more of it`,
  );
}
