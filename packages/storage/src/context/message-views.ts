import type { AgentMessage } from "@pintle/agent";
import type { SessionEntry } from "@pintle/wire";
import { isEntry } from "../entries/entries.ts";
import { inlineImages } from "../entries/image-blobs.ts";
import { contextMessage } from "./context-message.ts";
import { type ContextItem, contextItems } from "./session-context.ts";

/** The messages that entries represent, and the map from a message object to its entry. */
export class MessageViews {
  /** Messages built from entries that are not messages themselves, cached so that each entry has one message object. */
  readonly #made = new WeakMap<SessionEntry, AgentMessage>();
  readonly #entryIds = new WeakMap<AgentMessage, string>();
  /** Messages of the last context, indexed on the first lookup, because most sessions never need one. */
  #items: readonly ContextItem[] = [];

  /** Keyed by identity, because two messages may be equal. */
  entryIdOf(message: AgentMessage): string | undefined {
    this.#noteItems();
    return this.#entryIds.get(message);
  }

  remember(message: AgentMessage, entryId: string): void {
    this.#entryIds.set(message, entryId);
  }

  /** Without `readBlob`, no message refers to an external image. */
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
