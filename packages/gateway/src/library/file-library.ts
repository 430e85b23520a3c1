import { CommandError } from "../frames/command-error.ts";
import type { Librarian } from "./librarian.ts";
import type { CheckedOut, Library, ListQuery, SessionPage, StoredSession } from "./library.ts";
import type { StoredSessions } from "./stored-sessions.ts";

const AS_GIVEN: CheckedOut["plan"] = { lasting: [], commands: [] };

/** Session files of this machine. Their locks keep engines apart; only an engine reads and writes them. */
export class FileLibrary implements Library {
  readonly #librarian: Librarian;
  readonly #stored: StoredSessions;

  constructor(librarian: Librarian, stored: StoredSessions) {
    this.#librarian = librarian;
    this.#stored = stored;
  }

  resolve(idOrPath: string): Promise<StoredSession> {
    return this.#stored.resolve(idOrPath);
  }

  async checkOut(session: StoredSession): Promise<CheckedOut> {
    return { sessionFile: fileOf(session), plan: AS_GIVEN, log: undefined };
  }

  /** The file is read while an engine may write it: what is in it is whole. */
  withFile<T>(session: StoredSession, use: (file: string) => Promise<T>): Promise<T> {
    return use(fileOf(session));
  }

  /** There is no other place. */
  checkNeeds(): void {}

  async begin(): Promise<undefined> {}

  list({ status: _status, ...query }: ListQuery): Promise<SessionPage> {
    return this.#librarian.ask("list_sessions", query);
  }

  async rename({ sessionId }: StoredSession, name: string): Promise<void> {
    await this.#librarian.ask("rename_session", { sessionId, name });
  }

  async remove(sessionId: string): Promise<void> {
    await this.#librarian.ask("delete_session", { sessionId });
  }

  async restore(sessionId: string): Promise<void> {
    await this.#librarian.ask("restore_session", { sessionId });
  }

  close(): Promise<void> {
    return this.#librarian.close();
  }
}

function fileOf({ sessionId, sessionFile }: StoredSession): string {
  if (sessionFile === undefined) throw new CommandError("not_found", `There is no file of the session ${sessionId}`);
  return sessionFile;
}
