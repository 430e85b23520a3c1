import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { SessionError } from "./session-error.ts";
import type { SessionGate } from "./session-gate.ts";
import type { SessionHooks } from "./session-hooks.ts";
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
  hooks(): SessionHooks;
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

  /** True: somebody did not want it, and nothing has changed. */
  newSession(parentSession?: string): Promise<boolean> {
    return this.#change(async (endRun) => {
      if (await this.#target.hooks().isSwitchCancelled({ reason: "new" })) return true;
      await endRun();
      await this.#target.hooks().leaveSession("new");
      const fields = parentSession === undefined ? {} : { parentSession };
      const isStored = this.#target.current().sessionFile !== undefined;
      await this.#enter(isStored ? this.#store.create(fields) : this.#store.createInMemory(fields), "new");
      return false;
    });
  }

  /** The target is opened, locked and read while a run may still be going on; if that fails, the run goes on. */
  switchSession(path: string): Promise<boolean> {
    return this.#change(async (endRun) => {
      const targetSessionFile = resolve(this.#target.cwd, path);
      if (await this.#target.hooks().isSwitchCancelled({ reason: "resume", targetSessionFile })) return true;
      const current = this.#target.current();
      const isOpen = await isSameFile(current.sessionFile, resolve(this.#target.cwd, path));
      const next = isOpen ? current : await this.#store.open(path);
      await endRun();
      await this.#target.hooks().leaveSession("resume", targetSessionFile);
      await this.#enter(next, "resume");
      return false;
    });
  }

  /** A new session that ends before that message of the user, whose text is given back for editing. */
  branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    return this.#change(async (endRun) => {
      const text = this.#target.current().branchText(entryId);
      const cancelled = await this.#target.hooks().isForkCancelled({ entryId, position: "before" });
      if (cancelled) return { text, cancelled };
      await endRun();
      await this.#target.hooks().leaveSession("fork");
      await this.#enter(this.#target.current().branchBefore(entryId), "fork");
      return { text, cancelled };
    });
  }

  clone(): Promise<boolean> {
    return this.#change(async (endRun) => {
      const current = this.#target.current();
      // A session opens with its model, which is nothing to copy yet.
      if (!current.path().some(isSaid)) {
        throw new SessionError("invalid_request", "Cannot clone session: no current entry selected");
      }
      const entryId = current.leafId ?? "";
      if (await this.#target.hooks().isForkCancelled({ entryId, position: "at" })) return true;
      await endRun();
      await this.#target.hooks().leaveSession("fork");
      await this.#enter(this.#target.current().clone(), "fork");
      return false;
    });
  }

  async #enter(next: SessionManager, kind: ChangeKind): Promise<void> {
    const previousSessionFile = this.#target.current().sessionFile;
    this.#target.adopt(next, kind);
    await this.#target.hooks().enterSession(kind, previousSessionFile);
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
