import type { AgentMessage } from "@pintle/agent";
import type { SessionEntry } from "@pintle/wire";
import { isEntry } from "../entries/entries.ts";
import { inlineImages } from "../entries/image-blobs.ts";
import { contextMessage } from "./context-message.ts";
import { type ContextItem, contextItems } from "./session-context.ts";

/** The messages that entries stand for, and the way back from a message object to its entry. */
export class MessageViews {
  /** Of entries that are not themselves messages, so that each has one message object. */
  readonly #made = new WeakMap<SessionEntry, AgentMessage>();
  readonly #entryIds = new WeakMap<AgentMessage, string>();
  /** Of the last context, until an entry is asked for: after most openings of a long session none ever is. */
  #items: readonly ContextItem[] = [];

  /** By identity: two messages may well be equal. */
  entryIdOf(message: AgentMessage): string | undefined {
    this.#noteItems();
    return this.#entryIds.get(message);
  }

  remember(message: AgentMessage, entryId: string): void {
    this.#entryIds.set(message, entryId);
  }

  /** Without `readBlob` no message names an image that lies elsewhere. */
  context(path: readonly SessionEntry[], readBlob?: (reference: string) => Buffer | undefined): AgentMessage[] {
    this.#noteItems();
    const items = contextItems(path, (entry) => this.#messageOf(entry));
    this.#items = readBlob
      ? items.map(({ entryId, message }) => ({ entryId, message: inlineImages(message, readBlob) }))
      : items;
    return this.#items.map(({ message }) => message);
  }

  #noteItems(): void {
    for (const { message, entryId } of this.#items) this.#entryIds.set(message, entryId);
    this.#items = [];
  }

  #messageOf(entry: SessionEntry): AgentMessage | undefined {
    const known = this.#made.get(entry);
    if (known) return known;
    const message = contextMessage(entry);
    if (message && !(isEntry(entry, "message") && entry.message === message)) this.#made.set(entry, message);
    return message;
  }
}
