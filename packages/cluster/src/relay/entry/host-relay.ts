import {
  CommandError,
  type DefaultCommands,
  failureTail,
  type HostFrame,
  OPENS_ANOTHER,
  type RelayedConnection,
  type RelayedSessions,
  respond,
  toCommandError,
} from "@pintle/gateway/cluster";
import { HostChannel } from "./host-channel.ts";
import type { NodeLink } from "./node-link.ts";
import type { Need, NodeRoutes, Route } from "./node-routes.ts";
import type { WatchedRoute } from "./owner-watch.ts";
import { LOOKED_FOR, targetOf } from "./session-target.ts";

interface Waiting {
  frame: HostFrame;
  /** The defaults when the command arrived: an attachment starts with them. */
  defaults: DefaultCommands;
}

interface SessionRoute {
  channel: HostChannel;
  watched: WatchedRoute;
}

const THIS_NODE = "";
/** If several nodes open a session at the same moment, each looks up its owner this many times before the command fails. */
const MAX_LOOKUPS = 8;

/**
 * Relays one host to the sessions that other nodes have. A line for such a session is relayed. A line that may be for one waits
 * until the owner is known, and later lines for the same session wait after it.
 */
export class HostRelay implements RelayedSessions {
  readonly #routing: NodeRoutes;
  readonly #connection: RelayedConnection;
  readonly #channels = new Map<NodeLink, HostChannel>();
  readonly #routes = new Map<string, SessionRoute>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #lookups = new Set<Promise<void>>();
  readonly #lookedUp = new WeakMap<HostFrame, number>();
  /** Ids of the nodes that had no capacity for a command; `THIS_NODE` is one. */
  readonly #tried = new WeakMap<HostFrame, Set<string>>();
  readonly #gone = new AbortController();
  #waitingCount = 0;

  constructor(routing: NodeRoutes, connection: RelayedConnection) {
    this.#routing = routing;
    this.#connection = connection;
  }

  /** Number of sessions that the host is attached to. */
  get size(): number {
    return this.#routes.size;
  }

  /** Returns whether the host is attached to the session on another node. */
  isAttached(sessionId: string): boolean {
    return this.#routes.has(sessionId);
  }

  /** Returns true if the relay handles the command. */
  route(frame: HostFrame): boolean {
    const target = targetOf(frame);
    const behind = target === undefined ? undefined : this.#waiting.get(target);
    const route = target === undefined ? undefined : this.#routes.get(target);
    if (route && !behind) route.channel.send(frame);
    else if (!behind && !this.#isLookedFor(frame, target)) return false;
    else if (this.#waitingCount >= this.#connection.maxWaiting) this.#refuse(frame, tooMany());
    else {
      this.#waitingCount += 1;
      if (behind) behind.push({ frame, defaults: this.#connection.defaults() });
      else this.#lookUp(frame, target);
    }
    return true;
  }

  /** Another node took the session after it was looked up. Returns false if the command has been tried often enough. */
  routeAgain(frame: HostFrame): boolean {
    const count = (this.#lookedUp.get(frame) ?? 0) + 1;
    this.#lookedUp.set(frame, count);
    if (count > MAX_LOOKUPS || !LOOKED_FOR.has(frame.type)) return false;
    const target = targetOf(frame);
    const waiting = target === undefined ? undefined : this.#waiting.get(target);
    this.#waitingCount += 1;
    if (waiting) waiting.push({ frame, defaults: this.#connection.defaults() });
    else this.#lookUp(frame, target);
    return true;
  }

  /** No worker is free on the node that was asked, this one or `from`: asks the next suitable node. */
  tryOthers(frame: HostFrame, from?: string): void {
    const tried = this.#tried.get(frame) ?? new Set();
    this.#tried.set(frame, tried);
    if (from !== undefined) tried.add(from);
    const opensAnother = OPENS_ANOTHER.has(frame.type);
    if (opensAnother && from !== undefined && !tried.has(THIS_NODE)) {
      tried.add(THIS_NODE);
      this.#connection.dispatch(frame);
      return;
    }
    const defaults = this.#connection.defaults();
    // Does not reject: a failure becomes the response.
    const passed = this.#routing
      .findRoom(needOf(frame, targetOf(frame)), tried)
      .catch(() => undefined)
      .then((route) => {
        this.#lookups.delete(passed);
        if (this.#gone.signal.aborted) return;
        if (!route) this.#refuse(frame, noRoom());
        else if (opensAnother && !this.#connection.hasRoom()) this.#refuse(frame, tooManySessions());
        else if (opensAnother) this.#send(frame, defaults, this.#channelTo(route));
        else this.#begin(frame, defaults, route);
      });
    this.#lookups.add(passed);
  }

  /** Forwards a command that applies to all sessions of the host to those on other nodes. */
  defaultsChanged(): void {
    const defaults = this.#connection.defaults();
    for (const channel of this.#channels.values()) channel.setDefaults(defaults);
  }

  async answered(): Promise<void> {
    await Promise.all(this.#lookups);
    await Promise.all([...this.#channels.values()].map((channel) => channel.answered()));
  }

  /** Called when the host is gone. */
  close(): void {
    this.#gone.abort();
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    for (const sessionId of [...this.#routes.keys()]) this.#forget(sessionId);
    this.#waiting.clear();
  }

  #isLookedFor({ type, fields }: HostFrame, target: string | undefined): boolean {
    if (!LOOKED_FOR.has(type)) return false;
    if (target !== undefined) return !this.#connection.isHere(target);
    return type === "open_session" && Array.isArray(fields.labels) && fields.labels.length > 0;
  }

  #lookUp(frame: HostFrame, target: string | undefined): void {
    const lines = [{ frame, defaults: this.#connection.defaults() }];
    if (target !== undefined) this.#waiting.set(target, lines);
    // Does not reject: a failure becomes the response.
    const lookup = this.#routeFor(needOf(frame, target)).then((route) => {
      this.#lookups.delete(lookup);
      this.#waitingCount -= lines.length;
      if (target !== undefined) this.#waiting.delete(target);
      if (!this.#gone.signal.aborted) for (const line of lines) this.#resume(line, route);
    });
    this.#lookups.add(lookup);
  }

  /** Returns undefined if this node has the session. */
  async #routeFor(need: Need): Promise<Route | CommandError | undefined> {
    try {
      return await this.#routing.find(need, this.#gone.signal);
    } catch (error) {
      return (
        toCommandError(error) ??
        new CommandError("busy", "The node that has the session cannot be determined now: try again")
      );
    }
  }

  #resume({ frame, defaults }: Waiting, route: Route | CommandError | undefined): void {
    if (!route) this.#connection.dispatch(frame);
    else if (route instanceof CommandError) this.#refuse(frame, route);
    else if (LOOKED_FOR.has(frame.type)) this.#begin(frame, defaults, route);
    else this.#channelTo(route).send(frame);
  }

  /** From now on, lines for the session take the same route. The response may say that there is nothing to receive. */
  #begin(frame: HostFrame, defaults: DefaultCommands, route: Route): void {
    const channel = this.#channelTo(route);
    const target = targetOf(frame);
    const isKnown = target !== undefined && this.#routes.has(target);
    if (!isKnown && !this.#connection.hasRoom()) {
      this.#refuse(frame, tooManySessions());
      return;
    }
    if (target !== undefined) this.#route(target, channel, route);
    this.#send(frame, defaults, channel);
  }

  /** An attachment starts with the defaults of the time when its command arrived. */
  #send(frame: HostFrame, defaults: DefaultCommands, channel: HostChannel): void {
    channel.setDefaults(defaults);
    channel.send(frame);
    channel.setDefaults(this.#connection.defaults());
  }

  #channelTo({ link, nodeId }: Pick<Route, "link" | "nodeId">): HostChannel {
    const known = this.#channels.get(link);
    if (known) return known;
    const channel: HostChannel = new HostChannel({
      link,
      host: this.#connection.host,
      onNoRoom: (frame) => this.tryOthers(frame, nodeId),
      onAttached: (sessionId) => this.#route(sessionId, channel, { nodeId, isOwner: false }), // some sessions have no lease
      onDetached: (sessionId) => {
        if (this.#routes.get(sessionId)?.channel === channel) this.#forget(sessionId);
      },
      onEnd: (sessions) => {
        this.#channels.delete(link);
        for (const [sessionId, route] of [...this.#routes]) if (route.channel === channel) this.#forget(sessionId);
        for (const sessionId of sessions) this.#reportMoved(sessionId);
      },
    });
    if (!link.isClosed) this.#channels.set(link, channel);
    return channel;
  }

  /**
   * Sends later lines for the session over the channel until its owner changes. A node that has lost one session without
   * noticing has lost its database, so the whole channel ends: nothing that the node sends late can reach the host.
   */
  #route(sessionId: string, channel: HostChannel, { nodeId, isOwner }: Pick<Route, "nodeId" | "isOwner">): void {
    const known = this.#routes.get(sessionId);
    if (known?.channel === channel) {
      known.watched.isOwner ||= isOwner;
      return;
    }
    this.#forget(sessionId);
    const watched = { sessionId, nodeId, isOwner, onMoved: () => channel.abandon() };
    this.#routes.set(sessionId, { channel, watched });
    this.#routing.owners.add(watched);
  }

  #forget(sessionId: string): void {
    const route = this.#routes.get(sessionId);
    if (!route) return;
    this.#routes.delete(sessionId);
    this.#routing.owners.delete(route.watched);
  }

  /** The host returns with its cursor, and the owner of the session is looked up again. */
  #reportMoved(sessionId: string): void {
    this.#connection.host.send({ json: JSON.stringify({ sessionId, type: "session_moved" }), sessionId });
  }

  #refuse({ type, id, sessionId }: HostFrame, error: CommandError): void {
    respond({ host: this.#connection.host, id, sessionId }, failureTail(type, error));
  }
}

function noRoom(): CommandError {
  return new CommandError("busy", "All workers of all suitable nodes are in use: try again later");
}

function tooManySessions(): CommandError {
  return new CommandError("busy", "This connection has reached its maximum number of sessions");
}

function tooMany(): CommandError {
  return new CommandError("busy", "Too many commands of this connection wait for another node");
}

function needOf({ type, fields }: HostFrame, sessionId: string | undefined): Need {
  const labels = Array.isArray(fields.labels) ? fields.labels.filter((one) => typeof one === "string") : [];
  return { ...(sessionId !== undefined && { sessionId }), labels, isOpening: type === "open_session" };
}
