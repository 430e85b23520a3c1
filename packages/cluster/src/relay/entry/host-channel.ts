import { randomBytes } from "node:crypto";
import { isRecord } from "@pintle/ai";
import {
  CommandError,
  type DefaultCommands,
  failureTail,
  type Host,
  type HostFrame,
  NoRoom,
  OPENS_ANOTHER,
  type OutgoingFrame,
  respond,
} from "@pintle/gateway/cluster";
import type { FrameId } from "@pintle/wire";
import type { ChannelListener, NodeLink } from "./node-link.ts";
import { SentLines } from "./sent-lines.ts";
import { LOOKED_FOR, targetOf } from "./session-target.ts";

export interface HostChannelParts {
  link: NodeLink;
  host: Host;
  /** Called if the node has no worker for the session that the command opens. */
  onNoRoom(frame: HostFrame): void;
  /** Called when the host starts to receive a session over this channel. */
  onAttached(sessionId: string): void;
  /** Called when it no longer does. */
  onDetached(sessionId: string): void;
  /** Called when the connection to the node is lost; `sessions` were received over it. */
  onEnd(sessions: readonly string[]): void;
}

/** Commands that attach the host to the session that the response names, or to the session that they switch to. */
const OPENS: ReadonlySet<string> = new Set(["open_session", "attach_session", ...OPENS_ANOTHER]);
/** The defaults of a new connection. */
const INITIAL_DEFAULTS: DefaultCommands = { set_update_mode: { mode: "full" }, set_event_filter: { events: null } };
/** Answers to questions, which get no response. */
const ANSWER = /_(?:response|result)$|^host_tool_update$/;
/** Frames without a number begin with the route and the id. */
const RESPONSE = /^\{(?:"sessionId":"(?:[^"\\]|\\.)*",)?(?:"id":("(?:[^"\\]|\\.)*"|[^,]*),)?"type":"response"/;
const OF_CONNECTION = /^\{"type":"(?:server_ready|lagged)"/;
/** After these frames, the session is no longer received. The number and the type come first. */
const LAST = /^\{"sessionId":"(?:[^"\\]|\\.)*",(?:"seq":\d+,)?"type":"session_(?:closed|moved)"/;

/**
 * Relays one host to one other node, where the host is an ordinary connection: lines and frames pass unchanged. The channel
 * only tracks what the host must not notice: which sessions use it, and which commands have no response if it ends.
 */
export class HostChannel implements ChannelListener {
  readonly #parts: HostChannelParts;
  readonly #ch: number;
  readonly #sent = new SentLines();
  readonly #sessions = new Set<string>();
  /** Prefix of ids of this node's own commands, which no host can guess. */
  readonly #own = randomBytes(9).toString("base64url");
  #defaults: DefaultCommands = INITIAL_DEFAULTS;
  #isPaused = false;
  #isOver = false;

  constructor(parts: HostChannelParts) {
    this.#parts = parts;
    this.#isOver = parts.link.isClosed;
    this.#ch = parts.link.open(this, { isWaitedFor: parts.host.transport === "stdio" });
  }

  /** Resolves when everything that was sent has a response. */
  answered(): Promise<void> {
    return this.#sent.whenEmpty();
  }

  send(frame: HostFrame): void {
    const refusal = this.#refusalOf(frame.line);
    if (refusal) this.#refuse(frame, refusal);
    else if (!ANSWER.test(frame.type)) this.#sent.add(frame);
  }

  /** Returns undefined if the line was sent, or why it was not. */
  #refusalOf(line: string): CommandError | undefined {
    const { link } = this.#parts;
    if (this.#isOver) return moved();
    if (Buffer.byteLength(line) > link.maxLineBytes) {
      const text = `the node that has the session accepts frames of at most ${link.maxLineBytes} bytes`;
      return new CommandError("invalid_request", text);
    }
    if (link.line(this.#ch, line)) return undefined;
    return new CommandError("busy", "Too much of this connection waits for another node");
  }

  /** Sends the host's defaults to the other node. The responses are for this node, not for the host. */
  setDefaults(defaults: DefaultCommands): void {
    if (this.#isOver) return;
    for (const fields of changedDefaults(this.#defaults, defaults)) {
      this.#parts.link.line(this.#ch, JSON.stringify({ ...fields, id: this.#own }));
    }
    this.#defaults = defaults;
  }

  /** Called when the host is gone. */
  close(): void {
    this.#parts.link.leave(this.#ch);
    this.#sent.takeAll();
  }

  /** Called when the node has lost its sessions and cannot report it: the channel ends as if the link had. */
  abandon(): void {
    if (this.#isOver) return;
    this.#parts.link.leave(this.#ch);
    this.onEnd();
  }

  onFrame(frame: OutgoingFrame): void {
    const { json, seq, sessionId } = frame;
    if (seq === undefined && !this.#isForHost(json)) return;
    this.#parts.host.send(frame);
    if (sessionId !== undefined && LAST.test(json)) this.#leave(sessionId);
    this.#holdBack();
  }

  onEnd(): void {
    this.#isOver = true;
    const sessions = [...this.#sessions];
    this.#sessions.clear();
    this.#parts.onEnd(sessions);
    for (const frame of this.#sent.takeAll()) this.#refuse(frame, moved());
  }

  /** Returns whether a frame without a number is for the host. Most of these are responses. */
  #isForHost(json: string): boolean {
    const response = RESPONSE.exec(json);
    if (!response) return !OF_CONNECTION.test(json);
    if (response[1] === undefined) this.#onUnlabelled(json);
    else if (response[1] === `"${this.#own}"`) return false;
    else return this.#onAnswer(JSON.parse(response[1]) as FrameId, json);
    return true;
  }

  /** The other node rejects an unknown command with its id in another field. */
  #onUnlabelled(json: string): void {
    const { requestId } = JSON.parse(json) as { requestId?: FrameId };
    if (requestId !== undefined) this.#sent.answered(requestId);
  }

  /** Returns false if the response is not for the host. */
  #onAnswer(id: FrameId, json: string): boolean {
    const command = this.#sent.answered(id);
    if (!command || !(OPENS.has(command.type) || LOOKED_FOR.has(command.type) || command.type === "detach_session"))
      return true;
    const { success, data, error } = JSON.parse(json) as { success: boolean; data?: unknown; error?: string };
    const target = targetOf(command);
    const opened = isRecord(data) && typeof data.sessionId === "string" ? data.sessionId : target;
    if (success && opened !== undefined && OPENS.has(command.type)) this.#enter(opened);
    else if (success && target !== undefined && command.type !== "rename_session") this.#leave(target);
    // The route was taken for this command only.
    if (target !== undefined && !this.#sessions.has(target)) this.#parts.onDetached(target);
    const mayBeElsewhere = command.type === "open_session" || OPENS_ANOTHER.has(command.type);
    if (success || error !== NoRoom.text || !mayBeElsewhere) return true;
    this.#parts.onNoRoom(command);
    return false;
  }

  #enter(sessionId: string): void {
    this.#sessions.add(sessionId);
    this.#parts.onAttached(sessionId);
  }

  #leave(sessionId: string): void {
    if (this.#sessions.delete(sessionId)) this.#parts.onDetached(sessionId);
  }

  #refuse({ type, id, sessionId }: HostFrame, error: CommandError): void {
    if (!ANSWER.test(type)) respond({ host: this.#parts.host, id, sessionId }, failureTail(type, error));
  }

  /** Sessions wait for a host on stdio, even if they are on another node. */
  #holdBack(): void {
    const pressure = this.#isPaused ? undefined : this.#parts.host.backPressure();
    if (!pressure) return;
    this.#isPaused = true;
    this.#parts.link.pause(this.#ch, "pause");
    // Settles when the host reads or is gone; does not reject.
    void pressure.then(() => {
      this.#isPaused = false;
      this.#parts.link.pause(this.#ch, "resume");
    });
  }
}

function moved(): CommandError {
  const advice = "attach again, and repeat the command with its commandKey";
  return new CommandError("session_moved", `The node that has the session is gone: ${advice}`);
}

/** Returns the commands that turn the defaults of a connection from `sent` into `wanted`. */
function changedDefaults(sent: DefaultCommands, wanted: DefaultCommands): Record<string, unknown>[] {
  return Object.entries(wanted)
    .filter(([type, fields]) => JSON.stringify(sent[type]) !== JSON.stringify(fields))
    .map(([type, fields]) => ({ ...fields, type }));
}
