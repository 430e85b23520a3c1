import type { GatewayCalls, RpcSessionState, SessionCursor, SessionSnapshotEvent } from "../../protocol.ts";
import { RpcClosedError } from "../errors.ts";
import { ANSWER_TYPES, QUESTION_TYPES } from "../question-frames.ts";
import { BEGINS_RUN } from "../run-commands.ts";
import type { Frame, FrameTransport } from "../transport.ts";
import { ConnectionState } from "./connection-state.ts";
import { HoldableOrder } from "./holdable-order.ts";
import { NewerQuestions } from "./newer-questions.ts";

type AttachParams = Pick<GatewayCalls["attach_session"]["params"], "events" | "lastEntries">;
type OpenParams = GatewayCalls["open_session"]["params"];

/** The parts of a response that the link reads. */
interface Answer extends Frame {
  success?: boolean;
  error?: string;
  code?: string;
  data?: unknown;
}

export interface LinkParts {
  sessionId: string;
  /** Prefix of command ids; no other host of the session uses the same one. */
  prefix: string;
  /** How the session is reopened after a server restart. */
  open: OpenParams;
  attach: AttachParams;
  /** Sends a frame on the current connection. */
  send(frame: Frame): void | Promise<void>;
  /** True if the keys of prompts are stored with the session and stay valid on any server that opens it. */
  hasLastingKeys(): boolean;
  /** Called after reattaching on a shared connection: the defaults set for that may have replaced those of other sessions. */
  onAttachedAgain(): void;
}

interface BeforeSnapshot {
  cursor: SessionCursor;
  /** The number of events queued at that point. */
  waiting: number;
  newer: NewerQuestions;
}

/** What the session object receives in addition to frames. */
export interface LinkListener {
  /** True if a call is waiting for the end of a run. */
  isBusy(): boolean;
  onAway(): void;
  /** The server stopped, and what was running ended with it. */
  onInterrupted(reason: string): void;
  onCaughtUp(state: Pick<RpcSessionState, "isStreaming" | "isSettled">): void;
  onFault(what: string, error: Error): void;
}

/**
 * Commands that a session store keeps under their key once accepted. A repeat is answered from the store, or runs if the first
 * never arrived.
 */
const KEPT: ReadonlySet<string> = new Set([...BEGINS_RUN, "steer", "follow_up"]);
/** Error codes of a session that is moving to another node. */
const PASSING: ReadonlySet<string> = new Set(["busy", "draining", "other_node", "session_moved", "store_unavailable"]);
const isReading = ({ type }: Frame) => /^(?:get|list)_/.test(type);
/** Keeps trying for more than five seconds, the time that an ending process may take. */
const RETRY_MS = [100, 200, 400, 800, ...Array<number>(20).fill(1000)];

/**
 * A session's link over a connection that may be lost and restored. Commands without a response are resent with the
 * same key, missed frames are fetched with the cursor, and duplicates are delivered once.
 */
export class SessionLink implements FrameTransport {
  readonly #parts: LinkParts;
  readonly #memory = new ConnectionState();
  /** Orders events, but not responses and questions. */
  readonly #order = new HoldableOrder();
  /** Commands of the session object that have no response yet, in the order they were sent. */
  readonly #unanswered = new Map<string, Frame>();
  /** Commands of the link itself that have no response yet. */
  readonly #own = new Map<string, (answer: Answer) => void>();
  #ownCommands = 0;
  /** The number of connections lost so far. */
  #connections = 0;
  #isClosed = false;
  #listener: LinkListener | undefined;
  #cursor: SessionCursor;
  /** Set while a snapshot is incomplete: the state to restore if the rest never arrives. */
  #beforeSnapshot: BeforeSnapshot | undefined;
  /** One for each snapshot that waits in the event queue. */
  readonly #newerQuestions = new Set<NewerQuestions>();
  /** True while the response to `get_state` is awaited. */
  #awaitsState = false;
  /** True if attached and the missed events arrive as one snapshot. */
  #awaitsSnapshot = false;
  /** True while reattaching on a connection that stays open. */
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

  /** How much of the session has been received. */
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
    if (ANSWER_TYPES.has(frame.type)) {
      for (const newer of this.#newerQuestions) newer.ended(frame.id);
      return this.#parts.send({ ...frame, sessionId });
    }
    const id = `${prefix}${frame.id}`;
    // State that applies to one connection must be sent again on the next one.
    const key = ConnectionState.isPartOf(frame) ? {} : { commandKey: id };
    const command = { ...frame, id, sessionId, ...key };
    const sent = this.#parts.send(command); // throws if the frame is not JSON
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

  /** Called when the connection is lost. */
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

  /** The session is moving to another owner; the rest of the connection is unaffected. */
  #moved(): void {
    if (this.#away) return;
    this.lost();
    this.#isMoving = true;
    this.#later(0, () => this.attach());
  }

  /** Attaches after a reconnect, or to a new owner. */
  attach(attempt = 0): void {
    const { sessionId, attach } = this.#parts;
    // Replayed frames pass the filter and capabilities in effect at that moment, so set those first.
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

  /** Repeats this session's commands after another session has changed the connection's defaults. */
  restate(): void {
    if (!this.#away) for (const command of this.#memory.commands()) this.#repeat(command);
  }

  #isPassing(code: string | undefined): boolean {
    return code !== undefined && PASSING.has(code) && (code !== "draining" || this.#isMoving);
  }

  /** Reopens the session. Retries, because a killed server's process may hold the session for a moment. */
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

  /** Attaches instead if another node has opened the session by now. */
  #openElsewhere(code: string | undefined, attempt: number): void {
    if (code === "other_node" || code === "session_moved") this.attach(attempt);
    else this.#open(attempt);
  }

  #notAttached(code: string | undefined, error: string | undefined): void {
    if (code === "draining") return; // the next connection leads to another server
    this.close(new RpcClosedError(`The session could not be reattached: ${error}`));
  }

  /** Handles a frame of the session or a response to a command of this link. */
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
    if (id.startsWith(`${this.#parts.prefix}link_`)) return; // sent before the session moved
    const command = this.#unanswered.get(id);
    if (command && answer.code === "session_moved") {
      this.#moved(); // resent after reattaching
      return;
    }
    this.#unanswered.delete(id);
    if (command && answer.success === true) this.#memory.accepted(command);
    this.#onFrame({ ...answer, id: this.#coreId(id) });
  }

  /** Filters duplicates, because replayed frames may overlap those already received. */
  #isNew({ type, seq, cursor }: Frame): boolean {
    // The server closes the connection after `lagged`, so resume from the last frame received, not from the cursor it names.
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
      this.#snapshot(frame as unknown as SessionSnapshotEvent & Frame); // narrowed by `type`
    else if (frame.type === "session_closed") this.close(new RpcClosedError("The session was closed"));
    else if (frame.type === "session_moved") {
      this.#order.run(() => this.#onFrame(frame));
      this.#moved();
    } else if (QUESTION_TYPES.has(frame.type)) {
      for (const newer of this.#newerQuestions) newer.received(frame);
      this.#onFrame(frame);
    } else this.#order.run(() => this.#onFrame(this.#withOwnIds(frame)));
  }

  /** Events refer to commands by the ids sent on the wire; maps them back to the caller's ids. */
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

  /** Only the snapshot that follows shows whether the server has restarted; without one it has not. */
  #attached(answer: unknown): void {
    this.#isMoving = false;
    const { resync } = answer as { resync: boolean };
    if (resync) this.#awaitsSnapshot = true;
    else this.#resume();
  }

  #resume(): void {
    const isBusy = this.#order.isHolding || this.#listener?.isBusy() || [...this.#unanswered.values()].some(beginsRun);
    for (const command of this.#memory.commands()) this.#repeat(command);
    for (const command of this.#unanswered.values()) void this.#parts.send(command); // sent before, so ignore back-pressure
    const away = this.#away;
    this.#away = undefined;
    if (isBusy) this.askState();
    away?.end();
  }

  /**
   * Requests the session state, which decides whether a prompt ended unseen. That is certain only after all missed events and the
   * response to the prompt have arrived.
   */
  askState(): void {
    this.#awaitsState = true;
    this.#order.hold("state");
    if (this.#away) return; // asked again after the reconnect
    this.#ask("get_state", { brief: true }, ({ success, data }) => {
      this.#order.run(() => {
        this.#awaitsState = false;
        // On failure the session's process is gone, which a frame of its own reports.
        if (success) this.#listener?.onCaughtUp(data as RpcSessionState);
      });
      this.#order.release("state");
    });
  }

  /**
   * Rejects commands without a response. Command keys are valid for one epoch only, so those commands may or may not have run.
   * The exception: prompts that a session store keeps.
   */
  #interrupted(snapshot: SessionSnapshotEvent): void {
    const reason = "The server restarted before it responded; the command may or may not have run";
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
    // The snapshot reports a run that a node left unfinished; any other run has ended or continues.
    if (!hasLastingKeys || snapshot.interrupted) this.#listener?.onInterrupted(reason);
  }

  /**
   * Replays a per-connection command. Retries, because a tool may still belong to a lost connection that the server has not
   * noticed yet.
   */
  #repeat(command: Frame, attempt = 0): void {
    const { type, id: _id, sessionId: _sessionId, ...params } = command;
    this.#ask(type, params, ({ success, code, error }) => {
      if (success) return;
      const isLater = code === "busy" && this.#later(attempt, () => this.#repeat(command, attempt + 1));
      if (!isLater) this.#listener?.onFault(type, new Error(error));
    });
  }

  /** Schedules a retry on the same connection. Returns false if there are no attempts left. */
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
    if (this.#awaitsSnapshot) this.#resume();
    this.#awaitsSnapshot = false;
    let whole: SessionSnapshotEvent & Frame = snapshot;
    if (more) this.#order.hold("snapshot");
    const newer = new NewerQuestions();
    this.#newerQuestions.add(newer);
    this.#order.run(() => {
      this.#newerQuestions.delete(newer);
      this.#onFrame({ ...whole, pending: newer.addTo(whole.pending as Frame[]) });
      if (!this.#awaitsState) this.#listener?.onCaughtUp(whole.state);
    });
    if (!more) return;
    this.#beforeSnapshot = { ...before, newer };
    const since = snapshot.entries.at(-1)?.id;
    this.#ask("get_entries", since === undefined ? {} : { since }, ({ success, error, data }) => {
      if (!success) return this.close(new RpcClosedError(`The rest of the session could not be read: ${error}`));
      const rest = (data as Pick<SessionSnapshotEvent, "entries">).entries;
      whole = { ...snapshot, entries: [...snapshot.entries, ...rest] };
      this.#beforeSnapshot = undefined;
      this.#order.release("snapshot");
    });
  }

  #forgetSnapshot({ cursor, waiting, newer }: BeforeSnapshot): void {
    this.#cursor = cursor;
    this.#newerQuestions.delete(newer);
    this.#beforeSnapshot = undefined;
    this.#order.cut(waiting);
    this.#order.release("snapshot");
  }

  /** Sends a command of the link itself; its response is handled in order with the other frames. */
  #ask(type: string, params: object, onAnswer: (answer: Answer) => void, to: "session" | "gateway" = "session"): void {
    this.#ownCommands += 1;
    const id = `${this.#parts.prefix}link_${this.#ownCommands}`;
    this.#own.set(id, onAnswer);
    // The command is short and later frames depend on it, so send it even if the connection is full.
    void this.#parts.send({ ...params, id, type, ...(to === "session" && { sessionId: this.sessionId }) });
  }
}

const beginsRun = ({ type }: Frame) => BEGINS_RUN.has(type);
