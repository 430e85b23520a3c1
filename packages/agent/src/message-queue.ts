import { textsOf, type UserMessage } from "@pintle/ai";
import type { CustomMessage } from "./messages.ts";
import type { QueueMode } from "./types.ts";

export type QueuedMessage = UserMessage | CustomMessage;
export type QueueName = "steering" | "followUp" | "nextTurn";

/**
 * Messages that wait for their place in a run. The only truth about them: counts and listings are asked here, and a message
 * is known by identity, so two equal texts or an image without text cannot be mixed up.
 */
export class MessageQueue {
  steeringMode: QueueMode = "one-at-a-time";
  followUpMode: QueueMode = "one-at-a-time";
  readonly #waiting: Record<QueueName, QueuedMessage[]> = { steering: [], followUp: [], nextTurn: [] };
  readonly #ids = new WeakMap<QueuedMessage, string>();
  readonly #listeners = new Set<() => void>();
  #count = 0;

  /** Told after every change. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For the next turn boundary. */
  steer(message: QueuedMessage): void {
    this.#add("steering", message);
  }

  /** For the moment when the run would otherwise end. */
  followUp(message: QueuedMessage): void {
    this.#add("followUp", message);
  }

  /** Accompanies the next prompt. */
  withNextPrompt(message: QueuedMessage): void {
    this.#add("nextTurn", message);
  }

  get hasSteering(): boolean {
    return this.#waiting.steering.length > 0;
  }

  get isEmpty(): boolean {
    return !this.hasSteering && this.#waiting.followUp.length === 0;
  }

  /** Undelivered messages a person wrote or can see; hidden notes do not count. */
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

  /** Taken but not delivered: they are the next again. */
  putBack(queue: QueueName, messages: readonly QueuedMessage[]): void {
    if (messages.length === 0) return;
    this.#waiting[queue].unshift(...messages);
    this.#changed();
  }

  /** The texts a host may show, in order of delivery. */
  texts(queue: QueueName): string[] {
    return this.#waiting[queue].filter(isVisible).map(textOf);
  }

  /** Of the same messages, in the same order. A message keeps its id as long as it waits. */
  ids(queue: QueueName): string[] {
    return this.#waiting[queue].filter(isVisible).map((message) => this.#idOf(message));
  }

  /** Takes one message back. undefined: it is not, or no longer, in a queue that a host sees. */
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

  /** Empties the queues and gives back what was in them. */
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
        // One that fails must not keep a message from the others or from the run.
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
