import { SessionError } from "./session-error.ts";
import type { SessionGate } from "./session-gate.ts";
import type { SessionManager } from "./storage/session-manager.ts";
import type { SessionStore } from "./storage/session-store.ts";

export interface ChangeTarget {
  /** The session that is open now. */
  current(): SessionManager;
  /** Ends a running run with all its events. */
  endRun(): Promise<void>;
  /** One step: afterwards the new session is the open one and the old one is closed. */
  adopt(next: SessionManager, reason: ChangeReason): void;
}

/** `fresh`: model and thinking level go on. `restored`: they come from the session's own history. */
export type ChangeReason = "fresh" | "restored";

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
    return this.#gate.run(async () => {
      await this.#target.endRun();
      const fields = parentSession === undefined ? {} : { parentSession };
      const isStored = this.#target.current().sessionFile !== undefined;
      this.#target.adopt(isStored ? this.#store.create(fields) : this.#store.createInMemory(fields), "fresh");
    });
  }

  /** The target is opened, locked and read while a run may still be going on; if that fails, the run goes on. */
  switchSession(path: string): Promise<void> {
    return this.#gate.run(async () => {
      const { sessionFile } = this.#target.current();
      if (sessionFile !== undefined && (await isSameFile(sessionFile, path))) {
        await this.#target.endRun();
        return; // it is open already, and we hold its lock
      }
      const next = await this.#store.open(path);
      await this.#target.endRun();
      this.#target.adopt(next, "restored");
    });
  }

  /** A new session that ends before that message of the user, whose text is given back for editing. */
  branch(entryId: string): Promise<string> {
    return this.#gate.run(async () => {
      const text = this.#target.current().branchText(entryId);
      await this.#target.endRun();
      this.#target.adopt(this.#target.current().branchBefore(entryId), "restored");
      return text;
    });
  }

  clone(): Promise<void> {
    return this.#gate.run(async () => {
      if (this.#target.current().leafId === null) {
        throw new SessionError("invalid_request", "Cannot clone session: no current entry selected");
      }
      await this.#target.endRun();
      this.#target.adopt(this.#target.current().clone(), "restored");
    });
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const { realpath } = await import("node:fs/promises");
  const resolved = await Promise.allSettled([realpath(one), realpath(other)]);
  const [a, b] = resolved.map((result) => (result.status === "fulfilled" ? result.value : undefined));
  return a !== undefined && a === b;
}
