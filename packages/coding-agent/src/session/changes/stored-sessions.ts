import { isSameFile } from "../../files/real-path.ts";
import { SessionError } from "../../storage/session-error.ts";
import type { SessionManager } from "../../storage/session-manager.ts";
import type { SessionReference, SessionStore } from "../../storage/session-store.ts";

export interface StoredSessionsParts {
  store: SessionStore;
  /** The one that is open. */
  current(): SessionManager;
  /** The open one has another name. */
  announce(): void;
}

export interface StoredSession {
  sessionId: string;
  sessionFile: string;
}

/** What can be done with sessions without opening them. */
export class StoredSessions {
  readonly #parts: StoredSessionsParts;

  constructor(parts: StoredSessionsParts) {
    this.#parts = parts;
  }

  /** Without a reference the open session, which may be in memory only. */
  async rename(which: SessionReference, name: string): Promise<{ sessionId: string; sessionFile?: string }> {
    const path = this.#isOpen(which) ? undefined : (await this.#parts.store.locate(which)).path;
    if (path === undefined || this.#isOpenAt(path)) return this.#renameOpen(name);
    const other = await this.#parts.store.open(path);
    try {
      other.setName(name);
      if (!other.sync()) throw new SessionError("invalid_request", `Session file cannot be written: ${path}`);
      return { sessionId: other.sessionId, sessionFile: path };
    } finally {
      other.close();
    }
  }

  async delete(which: SessionReference): Promise<StoredSession> {
    const found = await this.#parts.store.locate(which);
    if (this.#isOpenAt(found.path)) {
      throw new SessionError("busy", "The session is open here: open another one first");
    }
    this.#parts.store.delete(found);
    return { sessionId: found.id, sessionFile: found.path };
  }

  async restore(sessionId: string): Promise<StoredSession> {
    const { id, path } = await this.#parts.store.restore(sessionId);
    return { sessionId: id, sessionFile: path };
  }

  #renameOpen(name: string): { sessionId: string; sessionFile?: string } {
    const manager = this.#parts.current();
    manager.setName(name);
    this.#parts.announce();
    const { sessionId, sessionFile } = manager;
    return { sessionId, ...(sessionFile !== undefined && { sessionFile }) };
  }

  /** It may have no file yet. */
  #isOpen({ sessionId, sessionPath }: SessionReference): boolean {
    const { sessionId: own, sessionFile } = this.#parts.current();
    if (sessionId === undefined && sessionPath === undefined) return true;
    return sessionId === own || (sessionPath !== undefined && sessionPath === sessionFile);
  }

  #isOpenAt(path: string): boolean {
    const { sessionFile } = this.#parts.current();
    return sessionFile !== undefined && (sessionFile === path || isSameFile(sessionFile, path));
  }
}
