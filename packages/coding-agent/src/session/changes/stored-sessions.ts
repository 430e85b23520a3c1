import { isSameFile } from "@pintle/foundation";
import {
  SessionError,
  type SessionPage,
  type SessionQuery,
  type SessionReference,
  type SessionStore,
} from "@pintle/storage";
import type { OpenConversation } from "../conversation/open-conversation.ts";

export interface StoredSessionsParts {
  store: SessionStore;
  /** The open session. */
  conversation: Pick<OpenConversation, "manager" | "rename">;
}

export interface StoredSession {
  sessionId: string;
  sessionFile: string;
}

/** Lists and changes stored sessions without opening them in this session. */
export class StoredSessions {
  readonly #parts: StoredSessionsParts;

  constructor(parts: StoredSessionsParts) {
    this.#parts = parts;
  }

  /** Returns stored sessions of any directory, including the open one. */
  page(query: SessionQuery): Promise<SessionPage> {
    return this.#parts.store.page(query);
  }

  /** Renames a session: the open one, which may exist only in memory, if the reference is empty. */
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
    const { conversation } = this.#parts;
    conversation.rename(name);
    const { sessionId, sessionFile } = conversation.manager;
    return { sessionId, ...(sessionFile !== undefined && { sessionFile }) };
  }

  /** Whether the reference names the open session, which may have no file yet. */
  #isOpen({ sessionId, sessionPath }: SessionReference): boolean {
    const { sessionId: own, sessionFile } = this.#parts.conversation.manager;
    if (sessionId === undefined && sessionPath === undefined) return true;
    return sessionId === own || (sessionPath !== undefined && sessionPath === sessionFile);
  }

  #isOpenAt(path: string): boolean {
    const { sessionFile } = this.#parts.conversation.manager;
    return sessionFile !== undefined && (sessionFile === path || isSameFile(sessionFile, path));
  }
}
