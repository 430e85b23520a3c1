import { UpdateThrottle } from "@pintle/exec";
import { failureText } from "../connection/failure-text.ts";
import type { McpClient } from "../connection/mcp-client.ts";
import { readPrompt, type ServerPrompt } from "./server-prompt.ts";

export interface ServerPromptsParts {
  /** Time limit for a complete listing. */
  timeoutMs: number;
  closing: AbortSignal;
  /** Called when the prompts change. */
  onPrompts(): void;
  warn(text: string): void;
}

/** Servers may report changes at any rate. */
const RELIST_MS = 1_000;
const MAX_PROMPTS = 200;
const MAX_PAGES = 20;

/** The last listed prompts of one server. They stay when the server dies. */
export class ServerPrompts {
  readonly #parts: ServerPromptsParts;
  readonly #relist = new UpdateThrottle(() => void this.#readAgain(), RELIST_MS); // does not reject
  #list: readonly ServerPrompt[] = [];
  #client: McpClient | undefined;
  /** Only the newest listing is used. */
  #listings = 0;
  #unfinished = 0;
  /** The prompts changed again during the listing. */
  #isStale = false;

  constructor(parts: ServerPromptsParts) {
    this.#parts = parts;
  }

  get list(): readonly ServerPrompt[] {
    return this.#list;
  }

  /** Lists the prompts. Never rejects, because the server's tools work without them. */
  async read(client: McpClient): Promise<void> {
    this.#client = client;
    this.#listings += 1;
    const listing = this.#listings;
    this.#unfinished += 1;
    this.#isStale = false;
    try {
      const list = client.offers("prompts") ? await this.#ask(client) : [];
      if (listing === this.#listings && !this.#parts.closing.aborted) this.#adopt(list);
    } catch (error) {
      const isOver = client.isOver || this.#parts.closing.aborted;
      if (!isOver) this.#parts.warn(`has prompts that cannot be listed: ${failureText(error)}`);
    } finally {
      this.#unfinished -= 1;
      if (this.#isStale && this.#unfinished === 0 && !this.#parts.closing.aborted) this.#relist.notify();
    }
  }

  /** Handles the server's change notification. */
  changed(): void {
    if (this.#unfinished > 0) this.#isStale = true;
    else this.#relist.notify();
  }

  close(): void {
    this.#relist.cancel();
  }

  async #readAgain(): Promise<void> {
    if (this.#unfinished > 0) return;
    if (this.#client && !this.#client.isOver && !this.#parts.closing.aborted) await this.read(this.#client);
  }

  async #ask(client: McpClient): Promise<ServerPrompt[]> {
    const { timeoutMs, closing } = this.#parts;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]);
    const byWord = new Map<string, ServerPrompt>();
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await client.request("prompts/list", page === 0 ? {} : { cursor }, { timeoutMs, signal });
      const entries: unknown[] = Array.isArray(answer.prompts) ? answer.prompts : [];
      for (const prompt of entries.map(readPrompt)) {
        if (prompt && !byWord.has(prompt.word) && byWord.size < MAX_PROMPTS) byWord.set(prompt.word, prompt);
      }
      cursor = answer.nextCursor;
      if (typeof cursor !== "string" || cursor === "") break;
    }
    return [...byWord.values()];
  }

  #adopt(list: readonly ServerPrompt[]): void {
    if (Bun.deepEquals(list, this.#list)) return;
    this.#list = list;
    this.#parts.onPrompts();
  }
}
