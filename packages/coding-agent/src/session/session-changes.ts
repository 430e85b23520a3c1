import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { SessionError } from "./session-error.ts";
import type { SessionGate } from "./session-gate.ts";
import type { SessionEntry } from "./storage/entries.ts";
import type { SessionManager } from "./storage/session-manager.ts";
import type { SessionStore } from "./storage/session-store.ts";

export interface ChangeTarget {
  /** Where relative paths start. */
  cwd: string;
  /** The session that is open now. */
  current(): SessionManager;
  /** For the run of this moment: ends it with all its events when it is called. */
  runToEnd(): () => Promise<void>;
  /** One step: afterwards the new session is the open one and the old one, if it is another, is closed. */
  adopt(next: SessionManager, kind: ChangeKind): void;
}

/** With `new` model and thinking level go on, otherwise they come from the session's own history. */
export type ChangeKind = "new" | "resume" | "fork";

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

  newSession(parentSession?: string): Promise<void> {
    return this.#change(async (endRun) => {
      await endRun();
      const fields = parentSession === undefined ? {} : { parentSession };
      const isStored = this.#target.current().sessionFile !== undefined;
      this.#target.adopt(isStored ? this.#store.create(fields) : this.#store.createInMemory(fields), "new");
    });
  }

  /** The target is opened, locked and read while a run may still be going on; if that fails, the run goes on. */
  switchSession(path: string): Promise<void> {
    return this.#change(async (endRun) => {
      const current = this.#target.current();
      const isOpen = await isSameFile(current.sessionFile, resolve(this.#target.cwd, path));
      const next = isOpen ? current : await this.#store.open(path);
      await endRun();
      this.#target.adopt(next, "resume");
    });
  }

  /** A new session that ends before that message of the user, whose text is given back for editing. */
  branch(entryId: string): Promise<string> {
    return this.#change(async (endRun) => {
      const text = this.#target.current().branchText(entryId);
      await endRun();
      this.#target.adopt(this.#target.current().branchBefore(entryId), "fork");
      return text;
    });
  }

  clone(): Promise<void> {
    return this.#change(async (endRun) => {
      // A session opens with its model, which is nothing to copy yet.
      if (!this.#target.current().path().some(isSaid)) {
        throw new SessionError("invalid_request", "Cannot clone session: no current entry selected");
      }
      await endRun();
      this.#target.adopt(this.#target.current().clone(), "fork");
    });
  }

  /** A prompt that comes after the call is meant for the session it opens: it waits, and is not the run to end. */
  #change<T>(job: (endRun: () => Promise<void>) => Promise<T>): Promise<T> {
    const endRun = this.#target.runToEnd();
    return this.#gate.run(() => job(endRun));
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
