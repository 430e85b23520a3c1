import { untilAborted } from "@pintle/ai";
import type { LocalModel } from "./local-listings.ts";
import type { LocalServer } from "./local-servers.ts";

export interface AskOptions {
  /** Time limit. A server that does not answer in time has no models. */
  limitMs?: number;
  signal?: AbortSignal;
}

const LISTING_LIMIT_MS = 5_000;
const OPEN_QUESTION_LIMIT_MS = 10_000;

/** Models that the servers on the user's machine report. Contacts a server only on request. */
export class LocalDiscovery {
  readonly #models = new Map<string, readonly LocalModel[]>();
  readonly #asked = new Map<string, Promise<void>>();

  /** Models by provider. */
  get models(): ReadonlyMap<string, readonly LocalModel[]> {
    return this.#models;
  }

  /** Asks all servers at once. */
  async ask(servers: readonly LocalServer[], { limitMs = LISTING_LIMIT_MS, signal }: AskOptions): Promise<void> {
    const limit = AbortSignal.timeout(limitMs);
    const stop = signal ? AbortSignal.any([signal, limit]) : limit;
    await Promise.all(servers.map((server) => this.#askOnce(server, stop)));
  }

  /** Waits for pending requests, up to a limit. */
  async settled(limitMs: number = OPEN_QUESTION_LIMIT_MS): Promise<void> {
    if (this.#asked.size === 0) return;
    const open = Promise.all(this.#asked.values());
    await untilAborted(open, AbortSignal.timeout(limitMs)).catch(() => {});
  }

  /** Shares a pending request, because a second one would get the same answer. */
  #askOnce(server: LocalServer, signal: AbortSignal): Promise<void> {
    const open = this.#asked.get(server.provider);
    if (open) return untilAborted(open, signal).catch(() => {});
    const asked = this.#ask(server, signal).finally(() => this.#asked.delete(server.provider));
    this.#asked.set(server.provider, asked);
    return asked;
  }

  async #ask(server: LocalServer, signal: AbortSignal): Promise<void> {
    const { listLocalModels } = await import("./local-servers.ts");
    this.#models.set(server.provider, (await listLocalModels(server, { signal })) ?? []);
  }
}
