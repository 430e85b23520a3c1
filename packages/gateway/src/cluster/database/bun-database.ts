import { delay, errorText } from "@pintle/ai";
import { type Database, type Query, type SqlValue, StoreError } from "./database.ts";
import { parseStoreUrl } from "./store-url.ts";

export interface DatabaseOptions {
  url: string;
  /** Connections at most. */
  connections: number;
  /** How long a statement may take, its connection included. */
  deadlineMs: number;
}

/** The server's own limit: what a client has given up must not hold locks for ever. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** The database was away when it should have begun. */
const LISTEN_AGAIN_MS = 2_000;

/** Classes of SQLSTATE that say nothing of the statement: connection, resources, operator intervention, system; and 40, retry. */
const PASSING_STATES = /^(08|40|53|57|58|XX)/;

/**
 * Bun's client behind the seam. The client connects again by itself when its connection was lost; one that does not answer within
 * the deadline, because the way to the database swallows packets, is left behind for a new one.
 */
export class BunDatabase implements Database {
  readonly #options: DatabaseOptions;
  readonly #make: (connections?: number) => Bun.SQL;
  #client: Bun.SQL;
  #listening: Bun.SQL | undefined;
  #isClosed = false;

  /** Throws ServeError for an address that is none. Connects with the first statement. */
  constructor(options: DatabaseOptions) {
    this.#options = options;
    const address = parseStoreUrl(options.url);
    this.#make = (connections = options.connections) =>
      new Bun.SQL({
        adapter: "postgres",
        ...address,
        max: connections,
        connectionTimeout: Math.ceil(options.deadlineMs / 1_000),
        idleTimeout: 0,
        connection: {
          application_name: "pintle",
          statement_timeout: String(STATEMENT_TIMEOUT_MS),
          idle_in_transaction_session_timeout: String(STATEMENT_TIMEOUT_MS),
        },
      });
    this.#client = this.#make();
  }

  readonly query: Query = <Row>(
    text: string,
    values: readonly SqlValue[] = [],
    deadlineMs: number = this.#options.deadlineMs,
  ) => this.#within(deadlineMs, async (client) => (await client.unsafe(text, [...values])) as Row[]);

  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#within(this.#options.deadlineMs, (client) =>
      client.begin((transaction) =>
        work(async <Row>(text: string, values: readonly SqlValue[] = []) => {
          return (await transaction.unsafe(text, [...values])) as Row[];
        }),
      ),
    );
  }

  listen(channel: string, listener: (payload: string) => void): void {
    // A client of its own: the one for statements is left behind when it does not answer.
    this.#listening ??= this.#make(1);
    this.#listening
      .listen(channel, listener, () => listener(""))
      .catch(() => {
        if (this.#isClosed) return;
        const again = setTimeout(() => this.listen(channel, listener), LISTEN_AGAIN_MS);
        again.unref();
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#listening?.close({ timeout: 0 }).catch(() => {}); // as below
    await this.#client.close({ timeout: 1 }).catch(() => {}); // connections that are broken already
  }

  async #within<T>(deadlineMs: number, work: (client: Bun.SQL) => Promise<T>): Promise<T> {
    const client = this.#client;
    const isOver = new AbortController();
    const silence = delay(deadlineMs, isOver.signal).then(() => SILENCE);
    try {
      const done = work(client);
      done.catch(() => {}); // also when it fails after the deadline
      const result = await Promise.race([done, silence]);
      if (result === SILENCE) throw this.#leave(client);
      return result as T;
    } catch (error) {
      throw toStoreError(error);
    } finally {
      isOver.abort();
    }
  }

  #leave(client: Bun.SQL): StoreError {
    if (this.#client === client) {
      this.#client = this.#make();
      client.close({ timeout: 0 }).catch(() => {}); // it does not answer: that is why
    }
    return new StoreError("The database does not answer", { isPassing: true });
  }
}

const SILENCE = Symbol("no answer");

function toStoreError(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Bun.SQL.PostgresError)) return error;
  const state = typeof error.errno === "string" ? error.errno : undefined;
  const isPassing = state === undefined || PASSING_STATES.test(state);
  return new StoreError(`The database: ${errorText(error)}`, { state, isPassing });
}
