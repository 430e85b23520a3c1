import type { AnyHandler, EventName } from "../api/event-types.ts";
import type { ExtensionContext } from "../api/extension-types.ts";
import type { ModuleSource } from "../sources/discovery.ts";
import type { DialogClock } from "../ui/dialog-clock.ts";

/** An extension, as far as calling its handlers requires. */
export interface HandlerOwner {
  readonly path: string;
  readonly source: ModuleSource;
  readonly isActive: boolean;
  readonly handlers: ReadonlyMap<string, readonly AnyHandler[]>;
  readonly dialogs: DialogClock;
  contextFor(event: string): ExtensionContext;
}

/** A handler and its owner. */
export interface Subscriber {
  instance: HandlerOwner;
  handler: AnyHandler;
}

const OLDER_NAMES: Partial<Record<EventName, EventName>> = { session_before_fork: "session_before_branch" };
const NONE: readonly Subscriber[] = [];

/**
 * Returns the handlers of each event, in load order and then in the order of registration. Lists are cached, because they are
 * needed for every event.
 */
export class HandlerTable {
  readonly #instances: () => readonly HandlerOwner[];
  readonly #known = new Map<string, readonly Subscriber[]>();

  constructor(instances: () => readonly HandlerOwner[]) {
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

  /** Called when extensions are added or removed, or register handlers. */
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
    return all.length > 0 ? all : NONE;
  }
}
