import type { AnyHandler, EventName } from "./event-types.ts";
import type { ExtensionInstance } from "./extension-instance.ts";

/** A handler and whose it is. */
export interface Subscriber {
  instance: ExtensionInstance;
  handler: AnyHandler;
}

const OLDER_NAMES: Partial<Record<EventName, EventName>> = { session_before_fork: "session_before_branch" };
const NOBODY: readonly Subscriber[] = [];

/** Who handles what, in load order and then in the order of registration. Asked for every event, so the answers are kept. */
export class HandlerTable {
  readonly #instances: () => readonly ExtensionInstance[];
  readonly #known = new Map<string, readonly Subscriber[]>();

  constructor(instances: () => readonly ExtensionInstance[]) {
    this.#instances = instances;
  }

  of(event: EventName): readonly Subscriber[] {
    let subscribers = this.#known.get(event);
    if (!subscribers) {
      subscribers = this.#collect(event);
      this.#known.set(event, subscribers);
    }
    return subscribers;
  }

  has(event: EventName): boolean {
    return this.of(event).length > 0;
  }

  /** Somebody came, went or registered. */
  forget(): void {
    this.#known.clear();
  }

  #collect(event: EventName): readonly Subscriber[] {
    const names = [event, OLDER_NAMES[event]];
    const all = this.#instances()
      .filter(({ isActive }) => isActive)
      .flatMap((instance) =>
        names.flatMap((name) => (instance.handlers.get(name ?? "") ?? []).map((handler) => ({ instance, handler }))),
      );
    return all.length > 0 ? all : NOBODY;
  }
}
