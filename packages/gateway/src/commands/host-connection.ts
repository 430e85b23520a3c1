import { errorText } from "@pintle/ai";
import { commands } from "@pintle/wire";
import { CommandError, HeldElsewhere, NoRoom, toCommandError } from "../frames/command-error.ts";
import { BadFrame, type HostFrame, parseHostFrame } from "../frames/host-frame.ts";
import { failureTail, respond, respondUnknown } from "../frames/responses.ts";
import type { Host, HostPort } from "../host.ts";
import { CarriedSessions } from "../nodes/entry/carried-sessions.ts";
import type { AttachWishes } from "../sessions/attached-hosts.ts";
import { ANSWER_TYPES } from "../sessions/host-questions.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import { connectionHandlers, connectionWords } from "./connection-handlers.ts";
import { gatewayHandlers } from "./gateway-handlers.ts";
import { boundPaths } from "./path-bounds.ts";
import { boundAnswer, checkCommand, checkVariables } from "./permission-bounds.ts";
import { isKeyed, runOnce } from "./run-once.ts";
import type { Server } from "./server.ts";
import { sessionHandlers } from "./session-handlers.ts";

/** What the host said for all its sessions. */
export type ConnectionDefaults = Pick<AttachWishes, "mode" | "named" | "capabilities">;

/** One command of a host while the gateway works on it. */
export interface Call {
  connection: HostConnection;
  server: Server;
  frame: HostFrame;
  /** The response behind its id. */
  answer(tail: string): void;
}

const TOOL_ANSWERS: ReadonlySet<string> = new Set(["host_tool_update", "host_tool_result"]);

/** One host and the sessions it is attached to: each of its lines goes to the gateway or to a session. */
export class HostConnection implements HostPort {
  readonly host: Host;
  readonly defaults: ConnectionDefaults = {};
  readonly sessions = new Map<string, LiveSession>();
  /** Commands that are about to add a session. */
  opening = 0;
  /** Those that other nodes have; undefined: there are none, or the host is itself carried here. */
  readonly carried: CarriedSessions | undefined;
  readonly #server: Server;
  /** Commands without an answer. */
  #open = 0;
  #whenAnswered: (() => void)[] = [];
  #isClosed = false;

  constructor(host: Host, server: Server) {
    this.host = host;
    this.#server = server;
    this.carried = this.#carry();
  }

  /** How many sessions the host hears, on whatever node. */
  get size(): number {
    return this.sessions.size + (this.carried?.size ?? 0);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  receive(line: string): void {
    if (this.#isClosed) return;
    const frame = this.#parse(line);
    if (frame && !this.carried?.takes(frame)) this.#dispatch(frame);
  }

  closed(): void {
    this.#isClosed = true;
    this.carried?.close();
    for (const session of this.sessions.values()) session.detach(this.host.id);
    this.sessions.clear();
    this.#server.left(this);
  }

  async answered(): Promise<void> {
    await this.carried?.answered();
    if (this.#open > 0) await new Promise<void>((resolve) => this.#whenAnswered.push(resolve));
    await this.carried?.answered(); // a command may have been passed on to another node meanwhile
  }

  #carry(): CarriedSessions | undefined {
    const { carrier, table, limits } = this.#server.parts;
    const isOfThisNode = this.host.transport === "node" || this.host.transport === "inside";
    if (!carrier || isOfThisNode) return undefined;
    return new CarriedSessions({
      carrier,
      host: this.host,
      isHere: (sessionId) => table.get(sessionId) !== undefined,
      words: () => connectionWords(this.defaults),
      maxWaiting: limits.maxInFlight,
      hasRoom: () => this.size + this.opening < limits.maxSessionsPerConnection,
      dispatch: (frame) => this.#dispatch(frame),
    });
  }

  #answered(): void {
    this.#open -= 1;
    if (this.#open === 0) for (const tell of this.#whenAnswered.splice(0)) tell();
  }

  #parse(line: string): HostFrame | undefined {
    try {
      return parseHostFrame(line);
    } catch (error) {
      const requestId = error instanceof BadFrame ? error.requestId : undefined;
      const text = `Failed to parse command: ${errorText(error)}`;
      respondUnknown(this.host, { command: "parse", error: text, ...(requestId !== undefined && { requestId }) });
      return undefined;
    }
  }

  #dispatch(frame: HostFrame): void {
    const { type, sessionId, id } = frame;
    if (sessionId !== undefined && isAnswerType(type)) {
      this.#toQuestion(sessionId, frame);
    } else if (Object.hasOwn(gatewayHandlers, type)) {
      this.#run(frame, gatewayHandlers[type]!);
    } else if (sessionId !== undefined) {
      this.#run(frame, (call) => this.#toSession(sessionId, call));
    } else if (Object.hasOwn(connectionHandlers, type)) {
      this.#run(frame, connectionHandlers[type]!);
    } else if (Object.hasOwn(commands, type)) {
      this.#run(frame, () => {
        throw new CommandError("invalid_request", "sessionId is missing: the command is for a session");
      });
    } else {
      const requestId = id === undefined ? {} : { requestId: id };
      respondUnknown(this.host, { command: type, error: `Unknown command: ${type}`, ...requestId });
    }
  }

  /** Answers are not answered: one that belongs to nothing is dropped. */
  #toQuestion(sessionId: string, { type, fields }: HostFrame): void {
    const session = this.sessions.get(sessionId);
    if (TOOL_ANSWERS.has(type)) session?.toolAnswer(this.host, type, fields);
    else session?.answer(this.host, type, boundAnswer(type, fields, this.#server.parts.permissions));
  }

  #toSession(sessionId: string, call: Call): void | Promise<void> {
    const { type } = call.frame;
    const session = this.sessions.get(sessionId);
    if (!session) throw new CommandError("not_attached", `This connection is not attached to the session ${sessionId}`);
    const refusal = call.server.refusal(type);
    if (refusal) throw refusal;
    const { permissions, allowedEnv } = this.#server.parts;
    checkCommand(type, call.frame.fields, permissions);
    if (permissions) checkVariables(type, call.frame.fields, allowedEnv);
    if (Object.hasOwn(sessionHandlers, type)) return sessionHandlers[type]!(session, call);
    const fields = boundPaths(call.frame.fields, () => this.#server.pathPlace(sessionId));
    session.command(this.host, { ...call.frame, fields }, call.answer);
  }

  /** Another node executes the command: it holds the session, or has a worker for it. */
  #passesOn(frame: HostFrame, error: unknown): boolean {
    if (error instanceof HeldElsewhere) return this.carried?.takesAgain(frame) ?? false;
    if (!(error instanceof NoRoom) || frame.type !== "open_session" || !this.carried) return false;
    this.carried.passOn(frame);
    return true;
  }

  /** What waits for an answer costs memory here and in workers, so a host gets only so much of it. */
  #checkRoom(): void {
    const { maxInFlight } = this.#server.parts.limits;
    if (this.#open > maxInFlight) {
      throw new CommandError("busy", `A connection has at most ${maxInFlight} commands without an answer`);
    }
  }

  /** Whatever goes wrong is the answer. */
  #run(frame: HostFrame, handle: (call: Call) => void | Promise<void>): void {
    const { type, id, sessionId } = frame;
    let isAnswered = false;
    this.#open += 1;
    const answer = (tail: string) => {
      if (!this.#isClosed) respond({ host: this.host, id, sessionId }, tail);
      if (!isAnswered) this.#answered();
      isAnswered = true;
    };
    const fail = (error: unknown) => {
      if (!isAnswered && this.#passesOn(frame, error)) {
        isAnswered = true; // by the other node
        this.#answered();
        return;
      }
      const known = toCommandError(error);
      if (!known) this.#server.log(`${type} failed: ${errorText(error)}`);
      answer(failureTail(type, known ?? error));
    };
    const call = { connection: this, server: this.#server, frame, answer };
    try {
      this.#checkRoom();
      const done = isKeyed(frame) ? runOnce(call, handle) : handle(call);
      if (done instanceof Promise) done.catch(fail);
    } catch (error) {
      fail(error);
    }
  }
}

function isAnswerType(type: string): boolean {
  return ANSWER_TYPES.has(type) || TOOL_ANSWERS.has(type);
}
