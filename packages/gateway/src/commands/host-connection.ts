import { errorText } from "@pintle/ai";
import { answerWithoutQuestion, commands, frameMistakes, type HostMistake, HostMistakes } from "@pintle/wire";
import type { RelayedSessions } from "../cluster/relay.ts";
import { CommandError, HeldElsewhere, NoRoom, toCommandError } from "../frames/command-error.ts";
import { BadFrame, type HostFrame, OPENS_ANOTHER, parseHostFrame } from "../frames/host-frame.ts";
import { failureTail, respond, respondUnknown } from "../frames/responses.ts";
import { unknownFields } from "../frames/unknown-fields.ts";
import type { Host, HostPort } from "../host.ts";
import type { AttachOptions } from "../sessions/attached-hosts.ts";
import { ANSWER_TYPES } from "../sessions/host-questions.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import { connectionHandlers, defaultCommands } from "./connection-handlers.ts";
import { gatewayHandlers } from "./gateway-handlers.ts";
import { openFromStored } from "./open-besides.ts";
import { boundPaths } from "./path-bounds.ts";
import { boundAnswer, checkCommand, checkVariables } from "./permission-bounds.ts";
import { isKeyed, runOnce } from "./run-once.ts";
import type { Server } from "./server.ts";
import { sessionHandlers } from "./session-handlers.ts";

/** What the host declared for all its sessions. */
export type ConnectionDefaults = Pick<AttachOptions, "mode" | "named" | "capabilities">;

/** One command of a host while the gateway works on it. */
export interface Call {
  connection: HostConnection;
  server: Server;
  frame: HostFrame;
  /** The response without its id. */
  answer(tail: string): void;
}

const TOOL_ANSWERS: ReadonlySet<string> = new Set(["host_tool_update", "host_tool_result"]);

/** One host and the sessions that it is attached to. Routes each of its lines to the gateway or to a session. */
export class HostConnection implements HostPort {
  readonly host: Host;
  readonly defaults: ConnectionDefaults = {};
  readonly sessions = new Map<string, LiveSession>();
  /** The number of commands that are about to add a session. */
  opening = 0;
  /** Sessions of other nodes; undefined if there are none, or the host is itself forwarded here. */
  readonly relayed: RelayedSessions | undefined;
  readonly #server: Server;
  /** The number of commands without a response. */
  #open = 0;
  #whenAnswered: (() => void)[] = [];
  #isClosed = false;
  readonly #mistakes: HostMistakes;

  constructor(host: Host, server: Server) {
    this.host = host;
    this.#server = server;
    this.#mistakes = new HostMistakes({
      isStrict: server.parts.isHostStrict,
      send: (frame, { sessionId }) => {
        const route = sessionId === undefined ? {} : { sessionId };
        host.send({ json: JSON.stringify({ ...route, ...frame }), ...route });
      },
      startTimer: (run, ms) => {
        const timer = setTimeout(run, ms);
        timer.unref();
        return () => clearTimeout(timer);
      },
    });
    this.relayed = this.#relay();
  }

  /** How many sessions the host is attached to, on any node. */
  get size(): number {
    return this.sessions.size + (this.relayed?.size ?? 0);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  receive(line: string, isDamaged = false): void {
    if (this.#isClosed) return;
    const frame = this.#parse(line);
    if (frame && this.#isUsable(frame, isDamaged) && !this.relayed?.route(frame)) this.#dispatch(frame);
  }

  /** Reports mistakes in a frame that can be used nevertheless. Returns false if the host receives them as a failure. */
  #isUsable(frame: HostFrame, isDamaged: boolean): boolean {
    const { type, id, idText, sessionId } = frame;
    const mistakes = [
      ...frameMistakes(type, { id, idText, isDamaged }),
      ...(this.#isExecutedHere(frame) ? unknownFields(frame) : []),
    ];
    const [first] = mistakes;
    if (first && this.#mistakes.isStrict && !isAnswerType(type)) {
      const error = { error: `Invalid ${type}: ${first.reason}`, code: first.code };
      const tail = JSON.stringify({ type: "response", command: type, success: false, ...error }).slice(1);
      respond({ host: this.host, id, idText, sessionId }, tail);
      return false;
    }
    for (const mistake of mistakes) this.#report(mistake, sessionId);
    return !(first && this.#mistakes.isStrict);
  }

  /** Reports mistakes that another node found in a frame that it relays. */
  #isExecutedHere({ type, sessionId }: HostFrame): boolean {
    if (this.host.transport === "node" || this.host.transport === "inside") return false;
    const handlers = sessionId === undefined ? connectionHandlers : sessionHandlers;
    return Object.hasOwn(gatewayHandlers, type) || Object.hasOwn(handlers, type);
  }

  /** Reports a mistake, except one of a frame that another part of this program has made: users cannot fix those. */
  #report(mistake: HostMistake, sessionId: string | undefined): void {
    if (this.host.transport === "inside") return;
    this.#mistakes.report({ ...mistake, ...(sessionId !== undefined && { sessionId }) });
  }

  closed(): void {
    this.#mistakes.close();
    this.#isClosed = true;
    this.relayed?.close();
    for (const session of this.sessions.values()) session.attachments.detach(this.host.id, { isLost: true });
    this.sessions.clear();
    this.#server.left(this);
  }

  async answered(): Promise<void> {
    await this.relayed?.answered();
    if (this.#open > 0) await new Promise<void>((resolve) => this.#whenAnswered.push(resolve));
    await this.relayed?.answered(); // another node may still execute a command that was passed on
  }

  #relay(): RelayedSessions | undefined {
    const { relay, table, limits } = this.#server.parts;
    const isOfThisNode = this.host.transport === "node" || this.host.transport === "inside";
    if (!relay || isOfThisNode) return undefined;
    return relay.connect({
      host: this.host,
      isHere: (sessionId) => table.get(sessionId) !== undefined,
      defaults: () => defaultCommands(this.defaults),
      maxWaiting: limits.maxInFlight,
      hasRoom: () => this.size + this.opening < limits.maxSessionsPerConnection,
      dispatch: (frame) => this.#dispatch(frame),
    });
  }

  #answered(): void {
    this.#open -= 1;
    if (this.#open === 0) for (const resolve of this.#whenAnswered.splice(0)) resolve();
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

  /** Passes an answer on. Answers have no response: one that belongs to no question is dropped and reported. */
  #toQuestion(sessionId: string, { type, id, idText, fields }: HostFrame): void {
    const desk = this.sessions.get(sessionId)?.desk;
    const state = TOOL_ANSWERS.has(type)
      ? desk?.answerOfTool(this.host, type, fields)
      : desk?.answer(this.host, type, boundAnswer(type, fields, this.#server.parts.permissions));
    if (state === "open" || idText !== undefined) return;
    if (typeof id === "string") this.#report(answerWithoutQuestion(type, id, state ?? "unknown"), sessionId);
    else
      this.#report(
        { code: "invalid_id", reason: `${type} must have the id of its question`, requestId: id },
        sessionId,
      );
  }

  #toSession(sessionId: string, call: Call): void | Promise<void> {
    const { type } = call.frame;
    const session = this.sessions.get(sessionId);
    const isPassedOn = !session && OPENS_ANOTHER.has(type) && this.#isAttachedElsewhere(sessionId);
    if (!session && !isPassedOn) {
      throw new CommandError("not_attached", `This connection is not attached to the session ${sessionId}`);
    }
    const refusal = call.server.refusal(type);
    if (refusal) throw refusal;
    const { permissions, allowedEnv } = this.#server.parts;
    checkCommand(type, call.frame.fields, permissions);
    if (permissions) checkVariables(type, call.frame.fields, allowedEnv);
    if (!session) return openFromStored(sessionId, call);
    if (Object.hasOwn(sessionHandlers, type)) return sessionHandlers[type]!(session, call);
    const fields = boundPaths(call.frame.fields, () => this.#server.pathPlace(sessionId));
    session.commands.fromHost(this.host, { ...call.frame, fields }, call.answer);
  }

  /** Whether the host is attached to the session on another node, which accepts commands of attached hosts only. */
  #isAttachedElsewhere(sessionId: string): boolean {
    return this.host.transport === "node" || (this.relayed?.isAttached(sessionId) ?? false);
  }

  /** Whether another node executes the command, because it holds the session or has a worker for it. */
  #passesOn(frame: HostFrame, error: unknown): boolean {
    if (error instanceof HeldElsewhere) return this.relayed?.routeAgain(frame) ?? false;
    if (!(error instanceof NoRoom) || !this.relayed) return false;
    if (frame.type !== "open_session" && !OPENS_ANOTHER.has(frame.type)) return false;
    this.relayed.tryOthers(frame);
    return true;
  }

  /** Limits the commands without a response of each host, because they use memory here and in workers. */
  #checkRoom(): void {
    const { maxInFlight } = this.#server.parts.limits;
    if (this.#open > maxInFlight) {
      throw new CommandError("busy", `A connection has at most ${maxInFlight} commands without a response`);
    }
  }

  /** Runs a handler. An error becomes the response. */
  #run(frame: HostFrame, handle: (call: Call) => void | Promise<void>): void {
    const { type, id, idText, sessionId } = frame;
    let isAnswered = false;
    this.#open += 1;
    const answer = (tail: string) => {
      if (!this.#isClosed) respond({ host: this.host, id, idText, sessionId }, tail);
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
