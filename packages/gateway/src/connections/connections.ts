import type { ServerLimits } from "@pintle/wire";
import type { Hosts, Transport } from "../host.ts";
import { Connection, type EndReason, type Outlet, type Traffic } from "./connection.ts";

export interface ConnectionsOptions {
  hosts: Hosts;
  limits: Pick<ServerLimits, "maxConnections" | "maxQueuedBytes">;
  epoch: string;
}

/** Totals of all connections since the start. */
export interface ConnectionFigures extends Traffic {
  open: Record<Transport, number>;
  accepted: number;
  refused: number;
  lagged: number;
  queuedBytes: number;
}

/** Owns the connections of all transports and their maximum number. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  readonly #past: Traffic & { lagged: number } = { framesIn: 0, framesOut: 0, charsOut: 0, lagged: 0 };
  #accepted = 0;
  #refused = 0;
  #allClosed: PromiseWithResolvers<void> | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /**
   * Whether another connection is allowed. Callers check this before they open one, and refuse as their transport
   * requires.
   */
  hasRoom(): boolean {
    const hasRoom = this.#open.size < this.#options.limits.maxConnections;
    if (!hasRoom) this.#refused += 1;
    return hasRoom;
  }

  /** Opens a connection. Sessions wait for a host on stdio; other hosts are disconnected if they do not read. */
  open(
    transport: Transport,
    outlet: Outlet,
    { isWaitedFor = transport === "stdio" }: { isWaitedFor?: boolean } = {},
  ): Connection {
    const { hosts, limits, epoch } = this.#options;
    this.#accepted += 1;
    const connection: Connection = new Connection({
      id: this.#accepted,
      transport,
      outlet,
      hosts,
      epoch,
      maxQueuedBytes: isWaitedFor ? undefined : limits.maxQueuedBytes,
      onClosed: () => this.#forget(connection),
    });
    this.#open.add(connection);
    return connection;
  }

  /** Ends all connections. Resolves when they are closed. */
  async endAll(reason: EndReason): Promise<void> {
    if (this.#open.size === 0) return;
    this.#allClosed = Promise.withResolvers<void>();
    for (const connection of this.#open) connection.end(reason);
    if (this.#open.size === 0) this.#allClosed.resolve();
    await this.#allClosed.promise;
  }

  figures(): ConnectionFigures {
    const figures: ConnectionFigures = {
      ...this.#past,
      open: { stdio: 0, socket: 0, websocket: 0, node: 0 },
      accepted: this.#accepted,
      refused: this.#refused,
      queuedBytes: 0,
    };
    for (const connection of this.#open) {
      figures.open[connection.transport] += 1;
      figures.queuedBytes += connection.queuedBytes;
      addTraffic(figures, connection);
    }
    return figures;
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    addTraffic(this.#past, connection);
    if (this.#open.size === 0) this.#allClosed?.resolve();
  }
}

function addTraffic(sum: Traffic & { lagged: number }, { traffic, isLagged }: Connection): void {
  sum.framesIn += traffic.framesIn;
  sum.framesOut += traffic.framesOut;
  sum.charsOut += traffic.charsOut;
  sum.lagged += isLagged ? 1 : 0;
}
