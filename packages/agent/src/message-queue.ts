import { textsOf, type UserMessage } from "@pintle/ai";
import type { CustomMessage } from "./messages.ts";
import type { QueueMode } from "./types.ts";

export type QueuedMessage = UserMessage | CustomMessage;
export type QueueName = "steering" | "followUp" | "nextTurn";

/**
 * Messages that wait to be delivered in a run. The single source of truth: counts and listings come from here, and
 * messages are compared by identity, so two equal strings or an image without text cannot be confused.
 */
export class MessageQueue {
  steeringMode: QueueMode = "one-at-a-time";
  followUpMode: QueueMode = "one-at-a-time";
  readonly #waiting: Record<QueueName, QueuedMessage[]> = { steering: [], followUp: [], nextTurn: [] };
  readonly #ids = new WeakMap<QueuedMessage, string>();
  readonly #listeners = new Set<() => void>();
  #count = 0;

  /** Called after every change. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Delivered at the next turn boundary. */
  steer(message: QueuedMessage): void {
    this.#add("steering", message);
  }

  /** Delivered when the run would otherwise end. */
  followUp(message: QueuedMessage): void {
    this.#add("followUp", message);
  }

  /** Delivered with the next prompt. */
  withNextPrompt(message: QueuedMessage): void {
    this.#add("nextTurn", message);
  }

  get hasSteering(): boolean {
    return this.#waiting.steering.length > 0;
  }

  get isEmpty(): boolean {
    return !this.hasSteering && this.#waiting.followUp.length === 0;
  }

  /** Undelivered messages that a person wrote or can see; hidden notes are not included. */
  get count(): number {
    return Object.values(this.#waiting).flat().filter(isVisible).length;
  }

  takeSteering(): QueuedMessage[] {
    return this.#take("steering", this.steeringMode);
  }

  takeFollowUp(): QueuedMessage[] {
    return this.#take("followUp", this.followUpMode);
  }

  takeNextTurn(): QueuedMessage[] {
    return this.#take("nextTurn", "all");
  }

  /** Puts back messages that were taken but not delivered, so that they are next again. */
  putBack(queue: QueueName, messages: readonly QueuedMessage[]): void {
    if (messages.length === 0) return;
    this.#waiting[queue].unshift(...messages);
    this.#changed();
  }

  /** The messages a host may show, in order of delivery. */
  texts(queue: QueueName): string[] {
    return this.#waiting[queue].filter(isVisible).map(textOf);
  }

  /** The ids of the same messages, in the same order. A message keeps its id as long as it waits. */
  ids(queue: QueueName): string[] {
    return this.#waiting[queue].filter(isVisible).map((message) => this.#idOf(message));
  }

  /** Removes one message. Returns undefined if it is not, or no longer, in a queue that a host sees. */
  remove(id: string): { queue: "steering" | "followUp"; text: string } | undefined {
    for (const queue of ["steering", "followUp"] as const) {
      const waiting = this.#waiting[queue];
      const at = waiting.findIndex((message) => isVisible(message) && this.#idOf(message) === id);
      if (at === -1) continue;
      const [message] = waiting.splice(at, 1);
      this.#changed();
      return { queue, text: textOf(message!) };
    }
    return undefined;
  }

  /** Empties the queues and returns their content. */
  clear(...queues: QueueName[]): Record<QueueName, QueuedMessage[]> {
    const removed: Record<QueueName, QueuedMessage[]> = { steering: [], followUp: [], nextTurn: [] };
    for (const queue of queues) removed[queue] = this.#waiting[queue].splice(0);
    if (Object.values(removed).some((messages) => messages.length > 0)) this.#changed();
    return removed;
  }

  #idOf(message: QueuedMessage): string {
    const known = this.#ids.get(message);
    if (known !== undefined) return known;
    this.#count += 1;
    const id = `queued_${this.#count}`;
    this.#ids.set(message, id);
    return id;
  }

  #add(queue: QueueName, message: QueuedMessage): void {
    this.#waiting[queue].push(message);
    this.#changed();
  }

  #take(queue: QueueName, mode: QueueMode): QueuedMessage[] {
    const waiting = this.#waiting[queue];
    const taken = waiting.splice(0, mode === "all" ? waiting.length : 1);
    if (taken.length > 0) this.#changed();
    return taken;
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch {
        // A failing listener must not keep a message from the others or from the run.
      }
    }
  }
}

function isVisible(message: QueuedMessage): boolean {
  return message.role === "user" || message.display;
}

function textOf({ content }: QueuedMessage): string {
  return textsOf(content).join("");
}
