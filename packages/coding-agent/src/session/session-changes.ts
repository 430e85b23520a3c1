import { realpath, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { SessionEntry } from "@pintle/wire";
import { SessionError } from "../storage/session-error.ts";
import type { SessionManager } from "../storage/session-manager.ts";
import type { SessionStore } from "../storage/session-store.ts";
import type { SessionGate } from "./session-gate.ts";
import type { SessionHooks } from "./session-hooks.ts";

export interface ChangeTarget {
  /** Where relative paths start. */
  cwd: string;
  /** The session that is open now. */
  current(): SessionManager;
  /** For the run of this moment: ends it with all its events when it is called. */
  runToEnd(): () => Promise<void>;
  hooks(): SessionHooks;
  /** One step: afterwards the new session is the open one and the old one, if it is another, is closed. */
  adopt(next: SessionManager, kind: ChangeKind): void;
  /** What its directory brings is in place when this resolves, before extensions hear of the session. */
  moveIn(): Promise<void>;
  /** Extensions have heard of it too. */
  movedIn(): void;
}

/** With `new` model and thinking level go on, otherwise they come from the session's own history. */
export type ChangeKind = "new" | "resume" | "fork";

export interface NewSessionRequest {
  parentSession?: string | undefined;
  /** Writes into the conversation before anybody hears of it. When it throws, nothing has changed. */
  setup?(manager: SessionManager): void | Promise<void>;
}

/** Replacing the open session by another one. Whatever can fail, fails before the old one is left. */
export class SessionChanges {
  readonly #store: SessionStore;
  readonly #gate: SessionGate;
  readonly #target: ChangeTarget;

  constructor(store: SessionStore, gate: SessionGate, target: ChangeTarget) {
    this.#store = store;
    this.#gate = gate;
    this.#target = target;
  }

  /** True: somebody did not want it, and nothing has changed. */
  newSession({ parentSession, setup }: NewSessionRequest): Promise<boolean> {
    return this.#change(async (endRun) => {
      if (await this.#target.hooks().isSwitchCancelled({ reason: "new" })) return true;
      const fields = parentSession === undefined ? {} : { parentSession };
      const isStored = this.#target.current().sessionFile !== undefined;
      const next = isStored ? this.#store.create(fields) : this.#store.createInMemory(fields);
      if (setup) await orDiscard(next, setup);
      await this.#leaveFor(next, "new", endRun);
      return false;
    });
  }

  /** The target is opened, locked and read while a run may still be going on; if that fails, the run goes on. */
  switchSession(path: string): Promise<boolean> {
    return this.#change(async (endRun) => {
      const targetSessionFile = resolve(this.#target.cwd, path);
      if (await this.#target.hooks().isSwitchCancelled({ reason: "resume", targetSessionFile })) return true;
      const current = this.#target.current();
      const isOpen = await isSameFile(current.sessionFile, targetSessionFile);
      const next = isOpen ? current : await this.#store.open(path);
      await this.#leaveFor(next, "resume", endRun);
      return false;
    });
  }

  /** A new session that ends before that message of the user, whose text is given back for editing. */
  branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    return this.#change(async (endRun) => {
      const text = this.#target.current().branchText(entryId);
      const copy = (current: SessionManager) => current.branchBefore(entryId);
      return { text, cancelled: await this.#fork({ entryId, position: "before" }, copy, endRun) };
    });
  }

  /** A new session that ends with that entry, or with the last one. */
  clone(entryId?: string): Promise<boolean> {
    return this.#change(async (endRun) => {
      const current = this.#target.current();
      if (entryId === undefined && !current.path().some(isSaid)) {
        // A session opens with its model, which is nothing to copy yet.
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
    copy: (current: SessionManager) => SessionManager,
    endRun: () => Promise<void>,
  ): Promise<boolean> {
    const { isCancelled, keepsConversation } = await this.#target.hooks().beforeFork(change);
    if (isCancelled) return true;
    await endRun();
    const current = this.#target.current();
    await this.#enter(keepsConversation && current.leafId !== null ? current.clone() : copy(current), "fork");
    return false;
  }

  /** A session that was opened and is not entered after all must not stay locked. */
  async #leaveFor(next: SessionManager, kind: ChangeKind, endRun: () => Promise<void>): Promise<void> {
    try {
      await endRun();
      await this.#enter(next, kind);
    } catch (error) {
      if (this.#target.current() !== next) next.close();
      throw error;
    }
  }

  async #enter(next: SessionManager, kind: ChangeKind): Promise<void> {
    const previousSessionFile = this.#target.current().sessionFile;
    await this.#target.hooks().leaveSession(kind, next.sessionFile);
    this.#target.adopt(next, kind);
    await this.#target.moveIn();
    await this.#target.hooks().enterSession(kind, previousSessionFile);
    this.#target.movedIn();
  }

  /** A prompt that comes after the call is meant for the session it opens: it waits, and is not the run to end. */
  #change<T>(job: (endRun: () => Promise<void>) => Promise<T>): Promise<T> {
    const endRun = this.#target.runToEnd();
    return this.#gate.run(() => job(endRun));
  }
}

/** A session that could not be set up leaves nothing behind. */
async function orDiscard(next: SessionManager, setup: NonNullable<NewSessionRequest["setup"]>): Promise<void> {
  try {
    await setup(next);
  } catch (error) {
    next.close();
    if (next.sessionFile !== undefined) await rm(next.sessionFile, { force: true });
    throw error;
  }
}

function isSaid({ type }: SessionEntry): boolean {
  return type === "message" || type === "custom_message";
}

/** `one` may not exist yet. */
async function isSameFile(one: string | undefined, other: string): Promise<boolean> {
  if (one === undefined || one === other) return one === other;
  const resolved = await Promise.allSettled([realpath(one), realpath(other)]);
  const [a, b] = resolved.map((result) => (result.status === "fulfilled" ? result.value : undefined));
  return a !== undefined && a === b;
}
