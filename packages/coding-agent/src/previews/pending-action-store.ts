import type { PendingAction, PendingActionInput } from "./pending-action.ts";

const MAX_DEPTH = 32;
const ID_PREFIX = "pa_";

/** The stack of staged changes of one session, in memory only: the last one staged is decided first. */
export class PendingActionStore {
  readonly #stack: PendingAction[] = [];
  readonly #now: () => number;
  readonly #prefix: string;
  #count = 0;

  /** With the id of a subagent, ids differ from those of its family. */
  constructor(now: () => number = Date.now, subagent?: string) {
    this.#now = now;
    this.#prefix = subagent === undefined ? ID_PREFIX : `${subagent}_${ID_PREFIX}`;
  }

  /** Throws if the action is invalid, because it comes from user code. */
  push(input: PendingActionInput): PendingAction {
    const { label, apply } = input;
    if (typeof label !== "string" || label.trim() === "") throw new TypeError("A pending action needs a label");
    if (typeof apply !== "function") throw new TypeError("A pending action needs an apply function");
    if (this.#stack.length >= MAX_DEPTH) {
      throw new Error(`${MAX_DEPTH} actions are already pending; resolve them before staging another`);
    }
    this.#count += 1;
    // Bind the methods instead of copying them, because the object may be an instance of the user's own class.
    const action: PendingAction = {
      id: `${this.#prefix}${this.#count}`,
      createdAt: this.#now(),
      label,
      sourceToolName: input.sourceToolName,
      details: input.details,
      ...(input.paths && { paths: input.paths }),
      ...(input.pendingNote !== undefined && { pendingNote: input.pendingNote }),
      apply: (reason) => input.apply(reason),
      ...(input.applyFiles && { applyFiles: (files, reason) => input.applyFiles!(files, reason) }),
      ...(input.changes && { changes: input.changes }),
      ...(input.applyHunks && { applyHunks: (parts, reason) => input.applyHunks!(parts, reason) }),
      ...(input.proposedText && { proposedText: (path) => input.proposedText!(path) }),
      ...(typeof input.reject === "function" && { reject: async (reason: string) => input.reject?.(reason) }),
    };
    this.#stack.push(action);
    return action;
  }

  peek(): PendingAction | null {
    return this.#stack.at(-1) ?? null;
  }

  pop(): PendingAction | null {
    return this.#stack.pop() ?? null;
  }

  /** Removes the action, wherever it is in the stack. */
  take(id: string): PendingAction | null {
    const index = this.#stack.findIndex((action) => action.id === id);
    return index === -1 ? null : this.#stack.splice(index, 1)[0]!;
  }

  /** Puts an action back to where it was taken from. */
  putBack(action: PendingAction): void {
    const index = this.#stack.findIndex(({ id }) => numberOf(id) > numberOf(action.id));
    this.#stack.splice(index === -1 ? this.#stack.length : index, 0, action);
  }

  get hasPending(): boolean {
    return this.#stack.length > 0;
  }

  get count(): number {
    return this.#stack.length;
  }

  /** The pending actions, top first. */
  list(): readonly PendingAction[] {
    return this.#stack.toReversed();
  }
}

/** The order in which actions were staged. */
const numberOf = (id: string) => Number(id.slice(ID_PREFIX.length));
