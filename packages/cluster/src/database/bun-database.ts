import { delay, errorText } from "@pintle/ai";
import { type Database, type Query, type SqlValue, StoreError } from "./database.ts";
import { DatabasePool } from "./database-pool.ts";
import { parseStoreUrl } from "./store-url.ts";

export interface DatabaseOptions {
  url: string;
  /** Maximum number of connections. */
  connections: number;
  /** Time limit of a statement, including its connection. */
  deadlineMs: number;
  /** The address leads to a pooler in transaction mode: prepared statements do not work, and LISTEN needs a direct address. */
  isPooled?: boolean | undefined;
  /** The address for notifications, which must bypass a pooler. */
  listenUrl?: string | undefined;
  maxLifetimeMs?: number;
}

/** Thrown if the database was unavailable when the statement should have started. */
const LISTEN_AGAIN_MS = 2_000;
const MAX_LIFETIME_MS = 10 * 60_000;
/** Time limit of other statements of a pool in which one got no answer or lost its connection. */
const CLOSE_SECONDS = 10;

/**
 * Classes of SQLSTATE that do not concern the statement itself: connection, resources, operator intervention, system; and 40,
 * which asks for a retry.
 */
const PASSING_STATES = /^(08|40|53|57|58|XX|25006|55P03)/;
/** The connection or its server is unusable: it is gone, is shutting down, or became a standby (25006, read-only). */
const USELESS_STATES = /^(08|57P0|25006)/;

/**
 * Implements Database with Bun's client. Replaces a pool whose server does not answer within the deadline or cannot execute the
 * statement.
 */
export class BunDatabase implements Database {
  readonly #options: DatabaseOptions;
  readonly #pool: DatabasePool;
  /** Undefined if there is no address at which LISTEN works. */
  readonly #listeners: DatabasePool | undefined;
  #isClosed = false;

  /** Throws ServeError for an invalid address. Connects with the first statement. */
  constructor(options: DatabaseOptions) {
    this.#options = options;
    const { url, connections, deadlineMs, isPooled = false, listenUrl, maxLifetimeMs = MAX_LIFETIME_MS } = options;
    this.#pool = new DatabasePool({ address: parseStoreUrl(url), connections, deadlineMs, isPooled, maxLifetimeMs });
    const listened = listenUrl ?? (isPooled ? undefined : url);
    this.#listeners =
      listened === undefined
        ? undefined
        : new DatabasePool({
            address: parseStoreUrl(listened),
            connections: 1,
            deadlineMs,
            isPooled: false,
            maxLifetimeMs: Number.POSITIVE_INFINITY, // the client reconnects by itself
          });
  }

  readonly query: Query = <Row>(
    text: string,
    values: readonly SqlValue[] = [],
    deadlineMs: number = this.#options.deadlineMs,
  ) => this.#within(deadlineMs, async (client, sent) => (await sent(client.unsafe(text, [...values]))) as Row[]);

  transaction<T>(work: (query: Query) => Promise<T>, { deadlineMs = this.#options.deadlineMs } = {}): Promise<T> {
    return this.#within(deadlineMs, (client, sent) =>
      client.begin((transaction) =>
        work(async <Row>(text: string, values: readonly SqlValue[] = []) => {
          return (await sent(transaction.unsafe(text, [...values]))) as Row[];
        }),
      ),
    );
  }

  listen(channel: string, listener: (payload: string) => void): void {
    const pool = this.#listeners?.get();
    pool
      ?.then((client) => client.listen(channel, listener, () => listener("")))
      .catch(() => {
        if (this.#isClosed) return;
        this.#listeners?.leave(pool);
        const again = setTimeout(() => this.listen(channel, listener), LISTEN_AGAIN_MS);
        again.unref();
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#listeners?.close();
    await this.#pool.close();
  }

  /** `work` must pass every statement through `sent`, so that an abandoned statement is not executed later. */
  async #within<T>(deadlineMs: number, work: (client: Bun.SQL, sent: Sent) => Promise<T>): Promise<T> {
    const pool = this.#pool.get();
    const isOver = new AbortController();
    let last: Cancellable | undefined;
    const sent: Sent = (statement) => {
      last = statement;
      if (isOver.signal.aborted) statement.cancel();
      return statement;
    };
    const silent = new StoreError("The database does not answer", { isPassing: true });
    const silence =
      deadlineMs === Number.POSITIVE_INFINITY ? NEVER : delay(deadlineMs, isOver.signal).then(() => SILENCE);
    try {
      const done = pool.then((client) => work(client, sent));
      done.catch(() => {}); // even if it fails after the deadline
      const result = await Promise.race([done, silence]);
      if (result === SILENCE) throw silent;
      return result as T;
    } catch (error) {
      const known = toStoreError(error);
      if (known === silent) last?.cancel();
      // Others may be slow only because they waited for a connection. Each has its own deadline.
      if (known instanceof StoreError && isOfConnection(known)) this.#pool.leave(pool, CLOSE_SECONDS);
      throw known;
    } finally {
      isOver.abort();
    }
  }
}

interface Cancellable {
  cancel(): unknown;
}

type Sent = <Statement extends Cancellable>(statement: Statement) => Statement;

const SILENCE = Symbol("no answer");
const NEVER = new Promise<never>(() => {});

/** An error without SQLSTATE comes from the client: no answer, no connection, or a lost one. */
function isOfConnection({ state, isPassing }: StoreError): boolean {
  return state === undefined ? isPassing : USELESS_STATES.test(state);
}

function toStoreError(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Bun.SQL.PostgresError)) return error;
  const state = typeof error.errno === "string" ? error.errno : undefined;
  const isPassing = state === undefined || PASSING_STATES.test(state);
  return new StoreError(`The database: ${errorText(error)}`, { state, isPassing });
}
