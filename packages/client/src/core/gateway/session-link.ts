import type { GatewayCalls, RpcSessionState, SessionCursor, SessionSnapshotEvent } from "../../protocol.ts";
import { RpcClosedError } from "../errors.ts";
import { BEGINS_RUN } from "../run-commands.ts";
import type { Frame, FrameTransport } from "../transport.ts";
import { ConnectionState } from "./connection-state.ts";
import { HoldableOrder } from "./holdable-order.ts";

type AttachParams = Pick<GatewayCalls["attach_session"]["params"], "events" | "lastEntries">;
type OpenParams = GatewayCalls["open_session"]["params"];

/** A response, as far as the link looks into it. */
interface Answer extends Frame {
  success?: boolean;
  error?: string;
  code?: string;
  data?: unknown;
}

export interface LinkParts {
  sessionId: string;
  /** What ids of commands begin with: no other host of the session has the same. */
  prefix: string;
  /** How the session is opened again when the server has been started anew. */
  open: OpenParams;
  attach: AttachParams;
  /** To the connection that there is. */
  send(frame: Frame): void | Promise<void>;
  /** Keys of prompts are kept with the session, whichever server has it next. */
  hasLastingKeys(): boolean;
  /** The session was attached to again on a connection that other sessions use, too: what was set for all of them is not theirs. */
  onAttachedAgain(): void;
}

/** What the session object is told beyond frames. */
export interface LinkListener {
  /** Something waits for the end of a run. */
  isBusy(): boolean;
  onAway(): void;
  /** What ran has ended with the server. */
  onInterrupted(reason: string): void;
  onCaughtUp(state: Pick<RpcSessionState, "isStreaming" | "isSettled">): void;
  onFault(what: string, error: Error): void;
}

/** Answers to questions; everything else that a session object sends is a command. */
const ANSWERS: ReadonlySet<string> = new Set([
  ...["extension_ui_response", "host_tool_update", "host_tool_result", "approval_response", "trust_response"],
  ...["host_fs_result", "host_terminal_result", "mcp_auth_response"],
]);
/** Never held back: the answer to a command may depend on them. */
const QUESTIONS: ReadonlySet<string> = new Set([
  ...["host_tool_call", "host_tool_cancel", "extension_ui_request"],
  ...["trust_request", "approval_request", "approval_cancel"],
  ...["host_fs_request", "host_terminal_request", "mcp_auth_request", "mcp_auth_cancel"],
]);
/** A store keeps these with their keys when they are accepted: a repeat is answered from there, or is the first that counts. */
const KEPT: ReadonlySet<string> = new Set([...BEGINS_RUN, "steer", "follow_up"]);
/** Of a session that is on its way to another node. */
const PASSING: ReadonlySet<string> = new Set(["busy", "draining", "other_node", "session_moved", "store_unavailable"]);
const isReading = ({ type }: Frame) => /^(?:get|list)_/.test(type);
/** A process that is about to end may take five seconds. */
const RETRY_MS = [100, 200, 400, 800, ...Array<number>(20).fill(1000)];

/**
 * A session's way over a connection that may be lost and come back. Commands without an answer are sent again under the same
 * key, frames that were missed are fetched with the cursor, and what arrives twice is told once.
 */
export class SessionLink implements FrameTransport {
  readonly #parts: LinkParts;
  readonly #memory = new ConnectionState();
  /** Of events, not of answers and questions. */
  readonly #order = new HoldableOrder();
  /** Commands of the session object without an answer, in the order of sending. */
  readonly #unanswered = new Map<string, Frame>();
  /** Commands of the link itself. */
  readonly #own = new Map<string, (answer: Answer) => void>();
  #ownCommands = 0;
  /** How many were lost so far. */
  #connections = 0;
  #isClosed = false;
  #listener: LinkListener | undefined;
  #cursor: SessionCursor;
  /** While a snapshot is not whole: where to go on if it never will be. */
  #beforeSnapshot: { cursor: SessionCursor; waiting: number } | undefined;
  /** The server was asked how the session is now. */
  #awaitsState = false;
  /** Attached, and what was missed comes as one. */
  #awaitsSnapshot = false;
  /** It is being attached to again on a connection that goes on. */
  #isMoving = false;
  #away: { promise: Promise<void>; end(): void } | undefined;
  #onFrame: (frame: Frame) => void = () => {};
  #onClose: (reason?: Error) => void = () => {};

  constructor(parts: LinkParts, cursor: SessionCursor) {
    this.#parts = parts;
    this.#cursor = cursor;
  }

  get sessionId(): string {
    return this.#parts.sessionId;
  }

  /** How far the session was seen. */
  get cursor(): SessionCursor {
    return this.#cursor;
  }

  get isAway(): boolean {
    return this.#away !== undefined;
  }

  listen(listener: LinkListener): void {
    this.#listener = listener;
  }

  blocked(): Promise<void> | undefined {
    return this.#away?.promise;
  }

  send(frame: Frame): void | Promise<void> {
    const { sessionId, prefix } = this.#parts;
    if (ANSWERS.has(frame.type)) return this.#parts.send({ ...frame, sessionId });
    const id = `${prefix}${frame.id}`;
    // What counts for one connection must be said on the next one again, not looked up.
    const key = ConnectionState.isPartOf(frame) ? {} : { commandKey: id };
    const command = { ...frame, id, sessionId, ...key };
    const sent = this.#parts.send(command); // throws if it is no JSON
    this.#unanswered.set(id, command);
    return sent;
  }

  onFrame(listener: (frame: Frame) => void): void {
    this.#onFrame = listener;
  }

  onClose(listener: (reason?: Error) => void): void {
    this.#onClose = listener;
  }

  close(reason: Error): void {
    this.#isClosed = true;
    this.#onClose(reason);
    this.#away?.end();
  }

  /** The connection is gone. */
  lost(): void {
    if (!this.#away) {
      let end = () => {};
      const promise = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#away = { promise, end };
      this.#listener?.onAway();
    }
    this.#connections += 1;
    this.#awaitsSnapshot = false;
    this.#own.clear();
    if (this.#beforeSnapshot) this.#forgetSnapshot(this.#beforeSnapshot);
  }

  /** The session has another owner, or will have: everything else of the connection goes on. */
  #moved(): void {
    if (this.#away) return;
    this.lost();
    this.#isMoving = true;
    this.#later(0, () => this.attach());
  }

  /** There is a connection again, or another owner. */
  attach(attempt = 0): void {
    const { sessionId, attach } = this.#parts;
    // What is replayed passes the filter and the abilities of the moment, so these come before it.
    const defaults = this.#memory.defaults();
    for (const { type, ...params } of defaults.set) this.#ask(type, params, () => {}, "gateway");
    this.#ask("attach_session", { ...attach, sessionId, since: this.#cursor }, ({ success, code, error, data }) => {
      if (success) this.#attached(data);
      else if (code === "not_open") this.#open();
      else if (!this.#isPassing(code) || !this.#later(attempt, () => this.attach(attempt + 1))) {
        this.#notAttached(code, error);
      }
    });
    for (const { type, ...params } of defaults.clear) this.#ask(type, params, () => {}, "gateway");
    if (this.#isMoving) this.#parts.onAttachedAgain();
  }

  /** Whoever else says it on a connection that goes on, says it again. */
  restate(): void {
    if (!this.#away) for (const command of this.#memory.commands()) this.#repeat(command);
  }

  #isPassing(code: string | undefined): boolean {
    return code !== undefined && PASSING.has(code) && (code !== "draining" || this.#isMoving);
  }

  /** A process of a server that was killed may still hold the session for a moment. */
  #open(attempt = 0): void {
    const params = { ...this.#parts.open, session: this.sessionId, since: this.#cursor };
    this.#ask(
      "open_session",
      params,
      ({ success, code, error, data }) => {
        if (success) this.#attached(data);
        else if (!this.#isPassing(code) || !this.#later(attempt, () => this.#openElsewhere(code, attempt + 1))) {
          this.#notAttached(code, error);
        }
      },
      "gateway",
    );
  }

  /** Another node may have it by now. */
  #openElsewhere(code: string | undefined, attempt: number): void {
    if (code === "other_node" || code === "session_moved") this.attach(attempt);
    else this.#open(attempt);
  }

  #notAttached(code: string | undefined, error: string | undefined): void {
    if (code === "draining") return; // the next connection leads to another server
    this.close(new RpcClosedError(`The session cannot be had again: ${error}`));
  }

  /** A frame of the session, or an answer to a command of this link. */
  receive(frame: Frame): void {
    if (frame.type === "response") this.#answer(frame);
    else if (this.#isNew(frame)) this.#event(frame);
  }

  #answer(answer: Answer): void {
    const id = String(answer.id ?? answer.requestId);
    const own = this.#own.get(id);
    if (own) {
      this.#own.delete(id);
      own(answer);
      return;
    }
    if (id.startsWith(`${this.#parts.prefix}link_`)) return; // of the time before the session moved
    const command = this.#unanswered.get(id);
    if (command && answer.code === "session_moved") {
      this.#moved(); // it is sent again where the session is then
      return;
    }
    this.#unanswered.delete(id);
    if (command && answer.success === true) this.#memory.accepted(command);
    this.#onFrame({ ...answer, id: this.#coreId(id) });
  }

  /** What was replayed may overlap with what was seen. */
  #isNew({ type, seq, cursor }: Frame): boolean {
    // The server ends the connection behind a `lagged`; what was seen counts, not what would have been next.
    if (type === "session_snapshot" || type === "lagged") return true;
    if (typeof seq === "number") {
      if (seq <= this.#cursor.seq) return false;
      this.#cursor = { ...this.#cursor, seq };
    }
    if (cursor) this.#cursor = cursor as SessionCursor;
    return true;
  }

  #event(frame: Frame): void {
    if (frame.type === "session_snapshot")
      this.#snapshot(frame as unknown as SessionSnapshotEvent & Frame); // by its type
    else if (frame.type === "session_closed") this.close(new RpcClosedError("The session was closed"));
    else if (frame.type === "session_moved") {
      this.#order.run(() => this.#onFrame(frame));
      this.#moved();
    } else if (QUESTIONS.has(frame.type)) this.#onFrame(frame);
    else this.#order.run(() => this.#onFrame(this.#withOwnIds(frame)));
  }

  /** Events name commands by the ids that they had on the way. */
  #withOwnIds(frame: Frame): Frame {
    if (frame.type === "prompt_result" && frame.id !== undefined) return { ...frame, id: this.#coreId(frame.id) };
    if (frame.type === "bash_execution_update" && frame.commandId !== undefined) {
      return { ...frame, commandId: this.#coreId(frame.commandId) };
    }
    return frame;
  }

  #coreId(id: unknown): string {
    const text = String(id);
    return text.startsWith(this.#parts.prefix) ? text.slice(this.#parts.prefix.length) : text;
  }

  /** Whether it is the same server as before tells the snapshot, which follows; without one it is. */
  #attached(answer: unknown): void {
    this.#isMoving = false;
    const { resync } = answer as { resync: boolean };
    if (resync) this.#awaitsSnapshot = true;
    else this.#goOn();
  }

  #goOn(): void {
    const isBusy = this.#order.isHolding || this.#listener?.isBusy() || [...this.#unanswered.values()].some(beginsRun);
    for (const command of this.#memory.commands()) this.#repeat(command);
    for (const command of this.#unanswered.values()) void this.#parts.send(command); // full or not: it was sent before
    const away = this.#away;
    this.#away = undefined;
    if (isBusy) this.askState();
    away?.end();
  }

  /** Whether a prompt has ended unseen is only clear when all that was missed, and the answer to the prompt, have come. */
  askState(): void {
    this.#awaitsState = true;
    this.#order.hold("state");
    if (this.#away) return; // asked when there is a connection
    this.#ask("get_state", {}, ({ success, data }) => {
      this.#order.run(() => {
        this.#awaitsState = false;
        // Otherwise the process of the session is gone, and says so itself.
        if (success) this.#listener?.onCaughtUp(data as RpcSessionState);
      });
      this.#order.release("state");
    });
  }

  /** Keys are of an epoch: what has no answer may or may not have been done. Prompts that a store keeps are the exception. */
  #interrupted(snapshot: SessionSnapshotEvent): void {
    const reason = "The server was started anew before the answer; what was done until then is unknown";
    const hasLastingKeys = this.#parts.hasLastingKeys();
    for (const [id, command] of [...this.#unanswered]) {
      if (isReading(command) || ConnectionState.isPartOf(command)) continue;
      if (hasLastingKeys && KEPT.has(command.type)) continue;
      this.#unanswered.delete(id);
      const { type } = command;
      this.#onFrame({
        type: "response",
        id: this.#coreId(id),
        command: type,
        success: false,
        code: "worker_exited",
        error: reason,
      });
    }
    // A run that a node left unfinished is in the snapshot; any other has come to its end, or goes on.
    if (!hasLastingKeys || snapshot.interrupted) this.#listener?.onInterrupted(reason);
  }

  /** A tool may still belong to a lost connection that the server has not noticed yet. */
  #repeat(command: Frame, attempt = 0): void {
    const { type, id: _id, sessionId: _sessionId, ...params } = command;
    this.#ask(type, params, ({ success, code, error }) => {
      if (success) return;
      const isLater = code === "busy" && this.#later(attempt, () => this.#repeat(command, attempt + 1));
      if (!isLater) this.#listener?.onFault(type, new Error(error));
    });
  }

  /** On the same connection. False: often enough. */
  #later(attempt: number, action: () => void): boolean {
    const wait = RETRY_MS[attempt];
    if (wait === undefined) return false;
    const connection = this.#connections;
    setTimeout(() => connection === this.#connections && !this.#isClosed && action(), wait);
    return true;
  }

  #snapshot({ more, ...snapshot }: SessionSnapshotEvent & Frame): void {
    const before = { cursor: this.#cursor, waiting: this.#order.length };
    const isAnew = this.#awaitsSnapshot && snapshot.cursor.epoch !== this.#cursor.epoch;
    this.#cursor = snapshot.cursor;
    if (isAnew) this.#interrupted(snapshot);
    if (this.#awaitsSnapshot) this.#goOn();
    this.#awaitsSnapshot = false;
    let whole: SessionSnapshotEvent & Frame = snapshot;
    if (more) this.#order.hold("snapshot");
    this.#order.run(() => {
      this.#onFrame(whole);
      if (!this.#awaitsState) this.#listener?.onCaughtUp(whole.state);
    });
    if (!more) return;
    this.#beforeSnapshot = before;
    const since = snapshot.entries.at(-1)?.id;
    this.#ask("get_entries", since === undefined ? {} : { since }, ({ success, error, data }) => {
      if (!success) return this.close(new RpcClosedError(`The rest of the session cannot be read: ${error}`));
      const rest = (data as Pick<SessionSnapshotEvent, "entries">).entries;
      whole = { ...snapshot, entries: [...snapshot.entries, ...rest] };
      this.#beforeSnapshot = undefined;
      this.#order.release("snapshot");
    });
  }

  #forgetSnapshot({ cursor, waiting }: { cursor: SessionCursor; waiting: number }): void {
    this.#cursor = cursor;
    this.#beforeSnapshot = undefined;
    this.#order.cut(waiting);
    this.#order.release("snapshot");
  }

  /** A command of the link; the answer is handled in its place among the frames. */
  #ask(type: string, params: object, onAnswer: (answer: Answer) => void, to: "session" | "gateway" = "session"): void {
    this.#ownCommands += 1;
    const id = `${this.#parts.prefix}link_${this.#ownCommands}`;
    this.#own.set(id, onAnswer);
    // A connection that is full takes it nevertheless: it is short, and what follows depends on it.
    void this.#parts.send({ ...params, id, type, ...(to === "session" && { sessionId: this.sessionId }) });
  }
}

const beginsRun = ({ type }: Frame) => BEGINS_RUN.has(type);
