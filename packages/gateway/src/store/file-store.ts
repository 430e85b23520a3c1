import { CommandError } from "../frames/command-error.ts";
import type { SessionFinder } from "./session-finder.ts";
import type { CheckedOut, ListQuery, SessionPage, SessionStore, StoredSession } from "./session-store.ts";
import type { StoreEngine } from "./store-engine.ts";

const AS_GIVEN: CheckedOut["plan"] = { lasting: [], commands: [] };

/** The session files of this machine. Locks keep engines apart, and only engines read and write the files. */
export class FileStore implements SessionStore {
  readonly #engine: StoreEngine;
  readonly #stored: SessionFinder;

  constructor(engine: StoreEngine, stored: SessionFinder) {
    this.#engine = engine;
    this.#stored = stored;
  }

  resolve(idOrPath: string): Promise<StoredSession> {
    return this.#stored.resolve(idOrPath);
  }

  async checkOut(session: StoredSession): Promise<CheckedOut> {
    return { sessionFile: fileOf(session), plan: AS_GIVEN, log: undefined };
  }

  /**
   * Calls `use` with the file. Reading is safe while an engine writes, because the file contains only complete lines.
   */
  withFile<T>(session: StoredSession, use: (file: string) => Promise<T>): Promise<T> {
    return use(fileOf(session));
  }

  /** Accepts everything, because there is no other node. */
  checkNeeds(): void {}

  async begin(): Promise<undefined> {}

  list({ status: _status, ...query }: ListQuery): Promise<SessionPage> {
    return this.#engine.ask("list_sessions", query);
  }

  async rename({ sessionId }: StoredSession, name: string): Promise<void> {
    await this.#engine.ask("rename_session", { sessionId, name });
  }

  async remove(sessionId: string): Promise<void> {
    await this.#engine.ask("delete_session", { sessionId });
  }

  async restore(sessionId: string): Promise<void> {
    await this.#engine.ask("restore_session", { sessionId });
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

function fileOf({ sessionId, sessionFile }: StoredSession): string {
  if (sessionFile === undefined) throw new CommandError("not_found", `There is no file of the session ${sessionId}`);
  return sessionFile;
}
