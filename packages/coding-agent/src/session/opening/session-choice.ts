import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { cutText } from "@pintle/ai";
import { visiblePath } from "@pintle/foundation";
import { SessionError, type SessionManager, type SessionStore, type SessionSummary } from "@pintle/storage";
import { StartUpError } from "../../config/start-up-error.ts";

/** Selects the conversation that a process starts with; at most one of `open`, `continueRecent`, `fork` and `id`. */
export interface SessionChoice {
  /** A path, the beginning of an id, or a name. */
  open?: string;
  /** If `open` is the path of a session file that does not exist, a new session is stored there. */
  mayCreate?: boolean;
  /** Opens the newest session of this working directory. */
  continueRecent?: boolean;
  /** Copies the conversation with this path, id or name. */
  fork?: string;
  /** Ends the copy before this user message. */
  forkBefore?: string;
  /** Opens the session with exactly this id, or creates it. */
  id?: string;
  inMemory?: boolean;
  name?: string;
}

const ID_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

export async function chooseSession(store: SessionStore, choice: SessionChoice, cwd: string): Promise<SessionManager> {
  if (choice.id !== undefined && !ID_PATTERN.test(choice.id)) {
    throw new StartUpError(`A session id consists of letters, digits, ".", "_" and "-", not "${choice.id}"`);
  }
  const manager = await find(store, choice, cwd);
  try {
    if (choice.name !== undefined) manager.setName(choice.name);
    return manager;
  } catch (error) {
    manager.close();
    throw error instanceof SessionError ? new StartUpError(error.message) : error;
  }
}

async function find(store: SessionStore, choice: SessionChoice, cwd: string): Promise<SessionManager> {
  const id = choice.id === undefined ? {} : { id: choice.id };
  if (choice.inMemory) return store.createInMemory(id);
  if (choice.fork !== undefined) return fork(store, choice.fork, cwd, choice.forkBefore);
  if (choice.open !== undefined) return open(store, choice.open, cwd, choice.mayCreate);
  if (choice.continueRecent) return store.continueRecent();
  if (choice.id !== undefined) {
    const existing = (await store.find(choice.id)).find((session) => session.id === choice.id && session.cwd === cwd);
    return existing ? store.open(existing.path) : store.create(id);
  }
  return store.create();
}

async function open(store: SessionStore, name: string, cwd: string, mayCreate = false): Promise<SessionManager> {
  const path = await resolveSessionPath(store, name, cwd);
  // A dangling link is an error, not a place for a new file.
  const isNew = mayCreate && path.endsWith(".jsonl") && !lstatSync(resolve(cwd, path), { throwIfNoEntry: false });
  return isNew ? store.create({ path }) : store.open(path);
}

async function fork(
  store: SessionStore,
  from: string,
  cwd: string,
  before: string | undefined,
): Promise<SessionManager> {
  const original = await store.open(await resolveSessionPath(store, from, cwd), { access: "read" });
  try {
    return before === undefined ? original.clone() : original.branchBefore(before);
  } finally {
    original.close();
  }
}

/**
 * Finds a session: text with a separator or the extension of a session file is a path; anything else is the start of an
 * id, or a name.
 */
export async function resolveSessionPath(store: SessionStore, name: string, cwd: string): Promise<string> {
  if (/[/\\]|\.jsonl$/.test(name)) return name;
  const byId = await store.find(name);
  const exact = byId.find(({ id }) => id === name);
  if (exact) return exact.path;
  const found = byId.length > 0 ? byId : await findNamed(store, name, cwd);
  const [first] = found;
  if (!first) throw new StartUpError(`Session not found: ${name}`);
  if (found.length > 1) throw new StartUpError(ambiguityText(name, found));
  return first.path;
}

/** Finds sessions by name. If several share one, those of this directory are preferred. */
async function findNamed(store: SessionStore, name: string, cwd: string): Promise<SessionSummary[]> {
  const wanted = name.trim().toLowerCase();
  const { sessions } = await store.page({ query: name });
  const named = sessions.filter((session) => session.name?.toLowerCase() === wanted);
  const here = named.filter((session) => session.cwd === cwd);
  return here.length > 0 ? here : named;
}

const MAX_CANDIDATES = 20;

function ambiguityText(name: string, found: readonly SessionSummary[]): string {
  const rows = found
    .slice(0, MAX_CANDIDATES)
    .map(({ id, name, firstMessage = "", cwd }) => visiblePath(`  ${id}  ${cwd}  ${shorten(name ?? firstMessage)}`));
  const more = found.length > MAX_CANDIDATES ? [`  and ${found.length - MAX_CANDIDATES} more`] : [];
  return [`"${name}" can be ${found.length} sessions; give more of the id of one:`, ...rows, ...more].join("\n");
}

function shorten(text: string): string {
  const [line = ""] = text.split("\n");
  return cutText(line, 60);
}
