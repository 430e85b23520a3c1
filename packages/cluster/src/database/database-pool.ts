import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { delay, errorText } from "@pintle/ai";
import { StoreError } from "./database.ts";
import type { StoreAddress, StoreTarget } from "./store-url.ts";

export interface PoolOptions {
  address: StoreAddress;
  /** Maximum number of connections. */
  connections: number;
  /** How long a server may take to accept a connection. */
  deadlineMs: number;
  /** The address leads to a pooler in transaction mode: no state may outlive a transaction. */
  isPooled: boolean;
  /** Maximum age of a pool. Replacing pools makes connections follow the database to other servers. */
  maxLifetimeMs: number;
}

/** The server's own limit, because a statement that a client has abandoned must not hold locks forever. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** How long running statements may take when their pool is replaced. */
const CLOSE_SECONDS = 60;
/** A server that does not answer for this long is skipped if there are several. */
const PROBE_MS = 3_000;

interface Candidate {
  target: StoreTarget;
  /** The address that its name resolved to; undefined if there is no name to look up. */
  ip?: string;
}

/**
 * Owns the connections to the server that currently has the database. Looks names up for each pool, because Bun's own cache of
 * names would lead to a replaced server for half a minute.
 */
export class DatabasePool {
  readonly #options: PoolOptions;
  #current: Promise<Bun.SQL> | undefined;
  #madeAt = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Rejects with StoreError if no server can be used now. */
  get(): Promise<Bun.SQL> {
    const { maxLifetimeMs } = this.#options;
    if (this.#current && performance.now() - this.#madeAt > maxLifetimeMs) this.leave(this.#current, CLOSE_SECONDS);
    if (this.#current) return this.#current;
    const made = this.#choose();
    this.#madeAt = performance.now();
    this.#current = made;
    made.catch(() => this.leave(made));
    return made;
  }

  /** Discards the pool; the next statement creates another one. */
  leave(pool: Promise<Bun.SQL>, closeSeconds = 0): void {
    if (this.#current !== pool) return;
    this.#current = undefined;
    pool.then((client) => client.close({ timeout: closeSeconds })).catch(() => {}); // broken, which may be the reason
  }

  async close(): Promise<void> {
    const client = await this.#current?.catch(() => undefined);
    await client?.close({ timeout: 1 }).catch(() => {}); // the connections may already be broken
  }

  /** Returns the first usable server. A single server is not checked before the first statement. */
  async #choose(): Promise<Bun.SQL> {
    const { needsWritable } = this.#options.address;
    const candidates = await this.#candidates();
    const [only] = candidates;
    if (only && candidates.length === 1 && !needsWritable) return this.#make(only);
    const reasons = new Set<string>();
    for (const candidate of candidates) {
      const client = this.#make(candidate);
      const refusal = await this.#refusalOf(client, needsWritable);
      if (refusal === undefined) return client;
      reasons.add(refusal);
      client.close({ timeout: 0 }).catch(() => {}); // unusable, which is the reason
    }
    throw new StoreError(`The database: ${[...reasons].join("; ")}`, { isPassing: true });
  }

  async #refusalOf(client: Bun.SQL, needsWritable: boolean): Promise<string | undefined> {
    const isOver = new AbortController();
    try {
      const asked = client.unsafe("SELECT current_setting('transaction_read_only') AS read_only").simple();
      asked.catch(() => {}); // even if it fails later
      const silence = delay(Math.min(PROBE_MS, this.#options.deadlineMs), isOver.signal);
      const rows = (await Promise.race([asked, silence])) as { read_only: string }[] | undefined;
      if (!rows) return "a server does not answer";
      return needsWritable && rows[0]?.read_only === "on" ? "a server is read-only" : undefined;
    } catch (error) {
      return errorText(error);
    } finally {
      isOver.abort();
    }
  }

  async #candidates(): Promise<Candidate[]> {
    const found = await Promise.all(this.#options.address.targets.map((target) => candidatesOf(target)));
    const all = found.flat();
    if (all.length > 0) return all;
    throw new StoreError("The database: the name of its server cannot be resolved", { isPassing: true });
  }

  #make({ target: { url, host, path }, ip }: Candidate): Bun.SQL {
    const { connections, deadlineMs, isPooled } = this.#options;
    const { searchParams } = new URL(url);
    const isEncrypted = (searchParams.get("sslmode") ?? "disable") !== "disable";
    return new Bun.SQL({
      adapter: "postgres",
      url,
      max: connections,
      idleTimeout: 0,
      prepare: !isPooled,
      ...(path !== undefined && { path }),
      // A certificate is verified against the name.
      ...(ip !== undefined && { hostname: ip, ...(isEncrypted && { tls: { serverName: host } }) }),
      connectionTimeout: Math.ceil(deadlineMs / 1_000),
      connection: {
        application_name: "pintle",
        // A pooler rejects parameters that it does not know.
        ...(!isPooled && {
          statement_timeout: String(STATEMENT_TIMEOUT_MS),
          idle_in_transaction_session_timeout: String(STATEMENT_TIMEOUT_MS),
        }),
      },
    } as Bun.SQL.Options);
  }
}

async function candidatesOf(target: StoreTarget): Promise<Candidate[]> {
  if (target.path !== undefined || isIP(target.host) !== 0) return [{ target }];
  try {
    const addresses = await lookup(target.host, { all: true });
    return [...new Set(addresses.map(({ address }) => address))].map((ip) => ({ target, ip }));
  } catch {
    return []; // other names may resolve
  }
}
