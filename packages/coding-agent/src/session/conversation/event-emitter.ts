import { errorText } from "@pintle/ai";
import { logBug } from "@pintle/foundation";
import type { AgentSessionEvent } from "@pintle/wire";

export type SessionListener = (event: AgentSessionEvent) => void;

/**
 * Events that report where something is stored, next to those that report what happened. Only mirrors of a session need
 * them.
 */
const ABOUT_STORAGE: ReadonlySet<string> = new Set(["entry_appended", "message_appended"]);

/** A reader that receives the events outside this process. */
export interface EventReader {
  /** Returns a promise while the reader cannot keep up. */
  ready?(): Promise<void> | undefined;
  /** Returns a promise that resolves when the reader could have seen all events so far. */
  delivered?(): Promise<void> | undefined;
}

export interface EventScope {
  /** True adds an event for every stored entry, and for every message from outside a run. */
  storage?: boolean;
  /** False omits the updates of an answer; a run emits thousands of them. */
  updates?: boolean;
}

interface Subscription extends Required<EventScope> {
  listener: SessionListener;
}

/**
 * The only output of events. It stores an event first, then passes the same object to every listener, in order. `emit` throws
 * if the end of a message cannot be stored; then no listener receives that event.
 */
export class SessionEmitter {
  readonly #recorders: SessionListener[] = [];
  #reader: EventReader = {};
  /** Replaced rather than changed, so that a notification in progress keeps the old list. */
  #listeners: readonly Subscription[] = [];
  #updateListeners: readonly Subscription[] = [];
  /** Events that are stored but not yet delivered to the listeners. */
  readonly #undelivered: AgentSessionEvent[] = [];
  /**
   * Events that were caused by storing an event. They are delivered before it, so that a mirror has stored an entry before it
   * passes on the event that reports it.
   */
  readonly #caused: AgentSessionEvent[] = [];
  #isStoring = false;
  #isDelivering = false;

  /**
   * Adds a recorder. Recorders receive each event before any listener, in the order in which they were added. A
   * recorder that throws stops the event.
   */
  recordWith(recorder: SessionListener): void {
    this.#recorders.push(recorder);
  }

  setReader(reader: EventReader): void {
    this.#reader = reader;
  }

  readonly ready = (): Promise<void> | undefined => this.#reader.ready?.();

  readonly delivered = (): Promise<void> | undefined => this.#reader.delivered?.();

  subscribe(listener: SessionListener, { storage = false, updates = true }: EventScope = {}): () => void {
    const subscription = { listener, storage, updates };
    this.#setListeners([...this.#listeners, subscription]);
    return () => this.#setListeners(this.#listeners.filter((other) => other !== subscription));
  }

  #setListeners(listeners: readonly Subscription[]): void {
    this.#listeners = listeners;
    this.#updateListeners = listeners.filter(({ updates }) => updates);
  }

  /**
   * Emits an event. If a listener calls this, it returns before delivery: all listeners first receive the current
   * event.
   */
  emit(event: AgentSessionEvent): void {
    const isCaused = this.#isStoring;
    this.#isStoring = true;
    try {
      if (event.type === "message_end") this.#storeMessage(event);
      else this.#notify(this.#record, event);
      if (isCaused) this.#caused.push(event);
      else {
        this.#moveCaused();
        this.#undelivered.push(event);
      }
    } finally {
      this.#isStoring = isCaused;
      if (!isCaused) this.#deliverAll();
    }
  }

  #deliverAll(): void {
    this.#moveCaused();
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let next = this.#undelivered.shift(); next; next = this.#undelivered.shift()) {
      for (const { listener, storage } of this.#audienceOf(next)) {
        if (storage || !ABOUT_STORAGE.has(next.type)) this.#notify(listener, next);
      }
    }
    this.#isDelivering = false;
  }

  /** Deltas cause nothing, so nearly every event finds none. */
  #moveCaused(): void {
    if (this.#caused.length > 0) this.#undelivered.push(...this.#caused.splice(0));
  }

  #audienceOf({ type }: AgentSessionEvent): readonly Subscription[] {
    return type === "message_update" ? this.#updateListeners : this.#listeners;
  }

  /**
   * Stores a finished message before a host receives it. If that fails, the host receives the error instead of the
   * message.
   */
  #storeMessage(event: Extract<AgentSessionEvent, { type: "message_end" }>): void {
    try {
      this.#record(event);
    } catch (error) {
      const reason = errorText(error);
      const message = `A message of the role ${event.message.role} could not be stored: ${reason}`;
      this.emit({ type: "notice", level: "error", message, source: "session" });
      throw error;
    }
  }

  readonly #record = (event: AgentSessionEvent): void => {
    for (const record of this.#recorders) record(event);
  };

  /** Calls a listener. Its errors must not stop other listeners or the run. */
  #notify(listener: SessionListener, event: AgentSessionEvent): void {
    try {
      listener(event);
    } catch (error) {
      logBug(error, `a listener failed on ${event.type}: `);
    }
  }
}
