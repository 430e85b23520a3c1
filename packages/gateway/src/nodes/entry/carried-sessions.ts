import { CommandError, toCommandError } from "../../frames/command-error.ts";
import type { HostFrame } from "../../frames/host-frame.ts";
import { failureTail, respond } from "../../frames/responses.ts";
import type { Host } from "../../host.ts";
import type { Carrier, Need, Route } from "./carrier.ts";
import type { ConnectionWords } from "./connection-words.ts";
import { HostChannel } from "./host-channel.ts";
import type { NodeLink } from "./node-link.ts";
import type { WatchedRoute } from "./owner-watch.ts";
import { LOOKED_FOR, targetOf } from "./session-target.ts";

export interface CarriedSessionsParts {
  carrier: Carrier;
  host: Host;
  /** Whether a session is open on this node. */
  isHere(sessionId: string): boolean;
  /** What the host has said for all its sessions. */
  words(): ConnectionWords;
  /** Commands that may wait until it is known who has their session. */
  maxWaiting: number;
  /** Whether the host may hear another session. */
  hasRoom(): boolean;
  /** The command is for this node. */
  dispatch(frame: HostFrame): void;
}

interface Waiting {
  frame: HostFrame;
  /** As they were when the command came: an attachment begins with them. */
  words: ConnectionWords;
}

interface SessionRoute {
  channel: HostChannel;
  watched: WatchedRoute;
}

/** Nodes that open a session at the same moment look up its owner again this often before the command fails. */
const MAX_LOOKUPS = 8;

/**
 * The sessions of one host that other nodes have. A line for such a session goes there; one that may be for such a session waits until
 * it is known who has it, and what follows for the same session waits behind it.
 */
export class CarriedSessions {
  readonly #parts: CarriedSessionsParts;
  readonly #channels = new Map<NodeLink, HostChannel>();
  readonly #routes = new Map<string, SessionRoute>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #lookups = new Set<Promise<void>>();
  readonly #lookedUp = new WeakMap<HostFrame, number>();
  /** Ids of the nodes that had no room for a command. */
  readonly #tried = new WeakMap<HostFrame, Set<string>>();
  readonly #gone = new AbortController();
  #waitingCount = 0;

  constructor(parts: CarriedSessionsParts) {
    this.#parts = parts;
  }

  /** How many the host hears. */
  get size(): number {
    return this.#routes.size;
  }

  /** True: the command is taken care of. */
  takes(frame: HostFrame): boolean {
    const target = targetOf(frame);
    const behind = target === undefined ? undefined : this.#waiting.get(target);
    const route = target === undefined ? undefined : this.#routes.get(target);
    if (route && !behind) route.channel.send(frame);
    else if (!behind && !this.#isLookedFor(frame, target)) return false;
    else if (this.#waitingCount >= this.#parts.maxWaiting) this.#refuse(frame, tooMany());
    else {
      this.#waitingCount += 1;
      if (behind) behind.push({ frame, words: this.#parts.words() });
      else this.#lookUp(frame, target);
    }
    return true;
  }

  /** Another node took the session after it was looked up. Returns false if the command has been tried often enough. */
  takesAgain(frame: HostFrame): boolean {
    const count = (this.#lookedUp.get(frame) ?? 0) + 1;
    this.#lookedUp.set(frame, count);
    if (count > MAX_LOOKUPS || !LOOKED_FOR.has(frame.type)) return false;
    const target = targetOf(frame);
    const waiting = target === undefined ? undefined : this.#waiting.get(target);
    this.#waitingCount += 1;
    if (waiting) waiting.push({ frame, words: this.#parts.words() });
    else this.#lookUp(frame, target);
    return true;
  }

  /** No worker is free on the node that was asked, this one or `from`: the next node that fits is asked. */
  passOn(frame: HostFrame, from?: string): void {
    const tried = this.#tried.get(frame) ?? new Set();
    this.#tried.set(frame, tried);
    if (from !== undefined) tried.add(from);
    const words = this.#parts.words();
    // Does not reject: what goes wrong is the answer.
    const passed = this.#parts.carrier
      .findRoom(needOf(frame, targetOf(frame)), tried)
      .catch(() => undefined)
      .then((way) => {
        this.#lookups.delete(passed);
        if (this.#gone.signal.aborted) return;
        if (!way) return this.#refuse(frame, noRoom());
        this.#begin(frame, words, way);
      });
    this.#lookups.add(passed);
  }

  /** The host has said something for all its sessions: it holds for those elsewhere, too. */
  wordsChanged(): void {
    const words = this.#parts.words();
    for (const channel of this.#channels.values()) channel.tell(words);
  }

  async answered(): Promise<void> {
    await Promise.all(this.#lookups);
    await Promise.all([...this.#channels.values()].map((channel) => channel.answered()));
  }

  /** The host is gone. */
  close(): void {
    this.#gone.abort();
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    for (const sessionId of [...this.#routes.keys()]) this.#forget(sessionId);
    this.#waiting.clear();
  }

  #isLookedFor({ type, fields }: HostFrame, target: string | undefined): boolean {
    if (!LOOKED_FOR.has(type)) return false;
    if (target !== undefined) return !this.#parts.isHere(target);
    return type === "open_session" && Array.isArray(fields.labels) && fields.labels.length > 0;
  }

  #lookUp(frame: HostFrame, target: string | undefined): void {
    const lines = [{ frame, words: this.#parts.words() }];
    if (target !== undefined) this.#waiting.set(target, lines);
    // Does not reject: what goes wrong is the answer.
    const lookup = this.#wayFor(needOf(frame, target)).then((way) => {
      this.#lookups.delete(lookup);
      this.#waitingCount -= lines.length;
      if (target !== undefined) this.#waiting.delete(target);
      if (!this.#gone.signal.aborted) for (const line of lines) this.#goOn(line, way);
    });
    this.#lookups.add(lookup);
  }

  /** undefined: it is this node's. */
  async #wayFor(need: Need): Promise<Route | CommandError | undefined> {
    try {
      return await this.#parts.carrier.find(need, this.#gone.signal);
    } catch (error) {
      return (
        toCommandError(error) ?? new CommandError("busy", "Who has the session cannot be found out now: try again")
      );
    }
  }

  #goOn({ frame, words }: Waiting, way: Route | CommandError | undefined): void {
    if (!way) this.#parts.dispatch(frame);
    else if (way instanceof CommandError) this.#refuse(frame, way);
    else if (LOOKED_FOR.has(frame.type)) this.#begin(frame, words, way);
    else this.#channelTo(way).send(frame);
  }

  /** From now on what follows for the session goes the same way; the answer may say that there is nothing to hear. */
  #begin(frame: HostFrame, words: ConnectionWords, way: Route): void {
    const channel = this.#channelTo(way);
    const target = targetOf(frame);
    const isKnown = target !== undefined && this.#routes.has(target);
    if (!isKnown && !this.#parts.hasRoom()) {
      this.#refuse(frame, new CommandError("busy", "This connection has as many sessions as it may have"));
      return;
    }
    if (target !== undefined) this.#route(target, channel, way);
    channel.tell(words);
    channel.send(frame);
    channel.tell(this.#parts.words());
  }

  #channelTo({ link, nodeId }: Pick<Route, "link" | "nodeId">): HostChannel {
    const known = this.#channels.get(link);
    if (known) return known;
    const channel: HostChannel = new HostChannel({
      link,
      host: this.#parts.host,
      onNoRoom: (frame) => this.passOn(frame, nodeId),
      onAttached: (sessionId) => this.#route(sessionId, channel, { nodeId, isOwner: false }), // some have no lease
      onDetached: (sessionId) => {
        if (this.#routes.get(sessionId)?.channel === channel) this.#forget(sessionId);
      },
      onEnd: (sessions) => {
        this.#channels.delete(link);
        for (const [sessionId, route] of [...this.#routes]) if (route.channel === channel) this.#forget(sessionId);
        for (const sessionId of sessions) this.#tellMoved(sessionId);
      },
    });
    if (!link.isClosed) this.#channels.set(link, channel);
    return channel;
  }

  /**
   * Sends what follows for the session over the channel, until its owner changes. A node that has lost one session without noticing
   * has lost its database, so the channel ends as a whole: nothing that the node sends late can reach the host.
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
    this.#parts.carrier.owners.add(watched);
  }

  #forget(sessionId: string): void {
    const route = this.#routes.get(sessionId);
    if (!route) return;
    this.#routes.delete(sessionId);
    this.#parts.carrier.owners.delete(route.watched);
  }

  /** The host comes back with its cursor; who has the session then is looked up anew. */
  #tellMoved(sessionId: string): void {
    this.#parts.host.send({ json: JSON.stringify({ sessionId, type: "session_moved" }), sessionId });
  }

  #refuse({ type, id, sessionId }: HostFrame, error: CommandError): void {
    respond({ host: this.#parts.host, id, sessionId }, failureTail(type, error));
  }
}

function noRoom(): CommandError {
  return new CommandError("busy", "All workers of all nodes that fit are in use: try again later");
}

function tooMany(): CommandError {
  return new CommandError("busy", "Too many commands of this connection wait for another node");
}

function needOf({ type, fields }: HostFrame, sessionId: string | undefined): Need {
  const labels = Array.isArray(fields.labels) ? fields.labels.filter((one) => typeof one === "string") : [];
  return { ...(sessionId !== undefined && { sessionId }), labels, isOpening: type === "open_session" };
}
