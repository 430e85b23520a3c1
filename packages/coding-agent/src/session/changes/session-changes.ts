import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { isSameFile } from "@pintle/foundation";
import { newestSessionFile, SessionError, type SessionManager, type SessionStore } from "@pintle/storage";
import type { RewindResult, SessionEntry } from "@pintle/wire";
import type { ChangeKind } from "../policies/policy.ts";
import type { ChangeLock } from "../runs/change-lock.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { FileMove, SessionUndo } from "../undo/session-undo.ts";
import type { SessionHandover } from "./session-handover.ts";

export interface SessionChangesParts {
  /** The directory that relative paths start from. */
  cwd: string;
  store: SessionStore;
  changeLock: ChangeLock;
  handover: SessionHandover;
  undo: SessionUndo;
  hooks(): SessionHooks;
}

export interface NewSessionRequest {
  parentSession?: string | undefined;
  /** Writes into the new conversation before any listener is notified. If it throws, nothing has changed. */
  setup?(manager: SessionManager): void | Promise<void>;
}

/** Replaces the open session with another. Every step that can fail comes before the open session is left. */
export class SessionChanges {
  readonly #parts: SessionChangesParts;

  constructor(parts: SessionChangesParts) {
    this.#parts = parts;
  }

  /**
   * Resolves to true if an extension cancelled the change; then nothing has changed. This also applies to the methods
   * below.
   */
  newSession({ parentSession, setup }: NewSessionRequest = {}): Promise<boolean> {
    return this.#change(async (endRun) => {
      if (await this.#parts.hooks().isSwitchCancelled({ reason: "new" })) return true;
      const fields = parentSession === undefined ? {} : { parentSession };
      const isStored = this.#parts.handover.current.sessionFile !== undefined;
      const next = isStored ? this.#parts.store.create(fields) : this.#parts.store.createInMemory(fields);
      if (setup) await orDiscard(next, setup);
      await this.#leaveFor(next, "new", endRun);
      return false;
    });
  }

  /** Opens, locks and reads the target while a run may still be active; if that fails, the run continues. */
  switchSession(path: string): Promise<boolean> {
    return this.#change(async (endRun) => {
      const targetSessionFile = resolve(this.#parts.cwd, path);
      if (await this.#parts.hooks().isSwitchCancelled({ reason: "resume", targetSessionFile })) return true;
      const current = this.#parts.handover.current;
      const { sessionFile } = current;
      // The open session may not have its file yet.
      const isOpen =
        sessionFile !== undefined && (sessionFile === targetSessionFile || isSameFile(sessionFile, targetSessionFile));
      const next = isOpen ? current : await this.#parts.store.open(path);
      await this.#leaveFor(next, "resume", endRun);
      return false;
    });
  }

  /** Opens the newest session of a directory, or a new one there. */
  openDirectory(path: string): Promise<{ cancelled: boolean; resumed: boolean }> {
    return this.#change(async (endRun) => {
      const directory = resolve(this.#parts.cwd, path);
      const newest = newestSessionFile(directory);
      const hooks = this.#parts.hooks();
      const target =
        newest === undefined ? { reason: "new" as const } : { reason: "resume" as const, targetSessionFile: newest };
      if (await hooks.isSwitchCancelled(target)) return { cancelled: true, resumed: false };
      const { current } = this.#parts.handover;
      const isOpen =
        newest !== undefined && current.sessionFile !== undefined && isSameFile(current.sessionFile, newest);
      if (newest === undefined) await this.#leaveFor(this.#parts.store.createIn(directory), "new", endRun);
      else await this.#leaveFor(isOpen ? current : await this.#parts.store.open(newest), "resume", endRun);
      return { cancelled: false, resumed: newest !== undefined };
    });
  }

  /**
   * Opens a copy of the session that ends before the given user message, and returns the text of that message for
   * editing.
   */
  branch(entryId: string, move: FileMove = {}): Promise<{ text: string; cancelled: boolean; files?: RewindResult }> {
    const { undo } = this.#parts;
    return this.#change(async (endRun) => {
      const text = this.#parts.handover.current.branchText(entryId);
      let files: RewindResult | undefined;
      const copy = async (current: SessionManager) => {
        files = (await undo.beforeMove(entryId, move))?.result;
        return current.branchBefore(entryId);
      };
      const cancelled = await this.#fork({ entryId, position: "before" }, copy, endRun);
      if (files?.rewindId !== undefined) await undo.adopt(files.rewindId);
      return { text, cancelled, ...(files && { files }) };
    });
  }

  /** Opens a copy of the session that ends with the given entry, or with the last one. */
  clone(entryId?: string): Promise<boolean> {
    return this.#change(async (endRun) => {
      const current = this.#parts.handover.current;
      if (entryId === undefined && !current.path().some(isConversationEntry)) {
        // A new session contains only its model, which is not worth a copy.
        throw new SessionError("invalid_request", "Cannot clone session: no current entry selected");
      }
      if (entryId !== undefined && !current.entry(entryId)) {
        throw new SessionError("invalid_request", "Invalid entry ID for branching");
      }
      const copy = (session: SessionManager) => session.clone(entryId);
      return this.#fork({ entryId: entryId ?? current.leafId ?? "", position: "at" }, copy, endRun);
    });
  }

  async #fork(
    change: { entryId: string; position: "before" | "at" },
    copy: (current: SessionManager) => SessionManager | Promise<SessionManager>,
    endRun: () => Promise<void>,
  ): Promise<boolean> {
    const { isCancelled, keepsConversation } = await this.#parts.hooks().beforeFork(change);
    if (isCancelled) return true;
    await endRun();
    const current = this.#parts.handover.current;
    await this.#parts.handover.enter(
      keepsConversation && current.leafId !== null ? current.clone() : await copy(current),
      "fork",
    );
    return false;
  }

  /** Enters the next session. Releases its lock if entering fails. */
  async #leaveFor(next: SessionManager, kind: ChangeKind, endRun: () => Promise<void>): Promise<void> {
    try {
      await endRun();
      await this.#parts.handover.enter(next, kind);
    } catch (error) {
      if (this.#parts.handover.current !== next) next.close();
      throw error;
    }
  }

  /**
   * Runs a change. A prompt that arrives after this call belongs to the session that it opens, so it waits, and
   * `endRun` does not end it.
   */
  #change<T>(job: (endRun: () => Promise<void>) => Promise<T>): Promise<T> {
    const endRun = this.#parts.handover.endOfWork();
    return this.#parts.changeLock.run(() => job(endRun));
  }
}

/** Runs `setup` on a new session, and deletes the session if that fails. */
async function orDiscard(next: SessionManager, setup: NonNullable<NewSessionRequest["setup"]>): Promise<void> {
  try {
    await setup(next);
  } catch (error) {
    next.close();
    if (next.sessionFile !== undefined) await rm(next.sessionFile, { force: true });
    throw error;
  }
}

function isConversationEntry({ type }: SessionEntry): boolean {
  return type === "message" || type === "custom_message";
}
