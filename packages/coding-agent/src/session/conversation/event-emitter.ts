import { errorText } from "@pintle/ai";
import { logBug } from "@pintle/foundation";
import type { AgentSessionEvent } from "@pintle/wire";

export type SessionListener = (event: AgentSessionEvent) => void;

/**
 * They report where something is stored, in addition to the events that report what happened: only mirrors of a session
 * need them.
 */
const ABOUT_STORAGE: ReadonlySet<string> = new Set(["entry_appended", "message_appended"]);

/** What reads the events outside of this process. */
export interface EventReader {
  /** A promise while the reader cannot keep up. */
  ready?(): Promise<void> | undefined;
  /** A promise until the reader could have seen all events so far. */
  delivered?(): Promise<void> | undefined;
}

export interface EventScope {
  /** True adds an event for every entry and every message from outside a run, once it is stored. */
  storage?: boolean;
  /** False leaves out the updates of an answer, of which a run has thousands. */
  updates?: boolean;
}

interface Subscription extends Required<EventScope> {
  listener: SessionListener;
}

/**
 * The only output of events: stored first, then every listener gets the same object in the same order. Throws if the
 * end of a message cannot be stored, and then no listener receives it.
 */
export class SessionEmitter {
  readonly #recorders: SessionListener[] = [];
  #reader: EventReader = {};
  /** Replaced rather than changed: a notification in progress uses the old list. */
  #listeners: readonly Subscription[] = [];
  #updateListeners: readonly Subscription[] = [];
  /** Stored, and on their way to the listeners. */
  readonly #undelivered: AgentSessionEvent[] = [];
  /**
   * Events that storing an event has caused, which precede it: a mirror that stores entries before it passes on what
   * follows has stored what the event reports.
   */
  readonly #caused: AgentSessionEvent[] = [];
  #isStoring = false;
  #isDelivering = false;

  /** Recorders get each event in the order in which they were added, before any listener. One that throws stops the others. */
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

  /** Called by a listener, it returns before the event is delivered: all listeners first receive the current event. */
  emit(event: AgentSessionEvent): void {
    const isCaused = this.#isStoring;
    this.#isStoring = true;
    try {
      if (event.type === "message_end") this.#storeMessage(event);
      else this.#notify(this.#record, event);
      if (isCaused) this.#caused.push(event);
      else this.#undelivered.push(...this.#caused.splice(0), event);
    } finally {
      this.#isStoring = isCaused;
      if (!isCaused) this.#deliverAll();
    }
  }

  #deliverAll(): void {
    if (this.#caused.length > 0) this.#undelivered.push(...this.#caused.splice(0));
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let next = this.#undelivered.shift(); next; next = this.#undelivered.shift()) {
      for (const { listener, storage } of this.#audienceOf(next)) {
        if (storage || !ABOUT_STORAGE.has(next.type)) this.#notify(listener, next);
      }
    }
    this.#isDelivering = false;
  }

  #audienceOf({ type }: AgentSessionEvent): readonly Subscription[] {
    return type === "message_update" ? this.#updateListeners : this.#listeners;
  }

  /**
   * What a host receives has been stored. If storing fails, it receives that instead; the emitter decides what follows.
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

  /** A listener's fault must stop neither the others nor the run. */
  #notify(listener: SessionListener, event: AgentSessionEvent): void {
    try {
      listener(event);
    } catch (error) {
      logBug(error, `a listener failed on ${event.type}: `);
    }
  }
}
