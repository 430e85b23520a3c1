import { delay } from "@pintle/ai";
import type { SessionCursor } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import type { HostFrame } from "../frames/host-frame.ts";
import { failureTail, successTail } from "../frames/responses.ts";
import type { Host } from "../host.ts";
import type { LimitedSession } from "../workers/cpu-limit.ts";
import type { WorkerExit } from "../workers/worker-process.ts";
import type { AttachWishes } from "./attached-hosts.ts";
import { AttachedHosts } from "./attached-hosts.ts";
import type { Attachment } from "./attachment.ts";
import { CommandKeys } from "./command-keys.ts";
import { OpenSpans } from "./command-traces.ts";
import { DeclaredCapabilities, isExclusive, refuseTaken, withoutTaken } from "./declared-capabilities.ts";
import { EntryOrder } from "./entry-order.ts";
import { ONLY_IF_NAMED } from "./event-choice.ts";
import { type FrameFacts, FrameLog } from "./frame-log.ts";
import { HostQuestions } from "./host-questions.ts";
import { HostToolsUnion, lostToolResult } from "./host-tools.ts";
import { IdleWatch } from "./idle-watch.ts";
import { type LineGate, openGate } from "./line-gate.ts";
import type { AttachAnswer, LiveSessionOptions, LostRun } from "./live-session-options.ts";
import { mergeKey } from "./merge-key.ts";
import { RepeatedCommands } from "./repeated-commands.ts";
import { BEGINS_RUN, BEGINS_WORK, isSentId, isSuccess, SentCommands } from "./sent-commands.ts";
import { type Capability, frameType } from "./session-frame.ts";
import { SessionPicture } from "./session-picture.ts";
import { SessionWorker } from "./session-worker.ts";
import { dataIn, requestSnapshot } from "./snapshot.ts";
import { UntoldEntries } from "./untold-entries.ts";

type Fields = Record<string, unknown>;

/** How long a session that is closed waits for its last frames to be stored. */
const STORE_PATIENCE_MS = 5_000;

export type SessionStatus = "idle" | "running" | "waiting";

/** An open session: its worker, its hosts, and all frames between them. */
export class LiveSession implements LimitedSession {
  readonly id: string;
  readonly log: FrameLog;
  readonly hosts: AttachedHosts;
  readonly #options: LiveSessionOptions;
  readonly #worker: SessionWorker;
  readonly #sent = new SentCommands();
  readonly #keys = new CommandKeys();
  readonly #picture = new SessionPicture();
  readonly #questions = new HostQuestions();
  readonly #tools = new HostToolsUnion();
  readonly #capabilities = new DeclaredCapabilities();
  readonly #repeated = new RepeatedCommands();
  readonly #spans = new OpenSpans();
  readonly #gate: LineGate;
  readonly #order = new EntryOrder((type, line) => this.#pass(type, line));
  readonly #untold: UntoldEntries;
  readonly #idle: IdleWatch;
  #isStored: boolean;
  #lostRun: LostRun | undefined;
  /** Its run is left to another node. */
  #isLeaving = false;
  /** Why the server ended the run, or the engine. */
  #limit: string | undefined;
  /** From `agent_end` to `session_settled`, or to the start of the next run. */
  #settling: PromiseWithResolvers<void> | undefined;

  constructor(options: LiveSessionOptions) {
    const { sessionId, log, process } = options;
    this.id = sessionId;
    this.#isStored = options.isStored;
    this.#options = options;
    this.log = new FrameLog(options);
    this.#untold = new UntoldEntries(this.log, options);
    this.hosts = new AttachedHosts(this.log, this.#picture.message);
    this.#idle = new IdleWatch(this, options.idleMs);
    for (const { key, tail } of log?.answered ?? []) this.#keys.remember(key, tail);
    for (const line of log?.kept ?? []) this.#repeated.keep(line);
    this.#gate = (log?.openGate ?? options.openGate ?? openGate)({
      pass: (line) => this.#onLine(line),
      tell: (type, fields) => this.#tell(type, fields),
      abort: () => this.#abort(),
      moved: () => options.onLost?.(),
    });
    this.#worker = new SessionWorker({
      start: options.start,
      introduction: () => this.#introduction(),
      onLine: (line) => this.#gate.push(line),
      backPressure: () => this.#backPressure(),
      onEnd: (waiting) => {
        const lost = this.#sent.openExcept(waiting);
        this.#gate.behind(() => this.#onEnd(lost));
      },
      onDeath: (exit) => {
        if (this.#isLeaving) return;
        this.#gate.workerDied();
        this.#gate.behind(() => this.#onDeath(exit));
      },
      onUnsent: (ids, error) => {
        for (const id of ids) this.#sent.settle(id, failureTail(this.#sent.find(id)?.command ?? "", error));
      },
      onGivenUp: () =>
        this.#tell("session_failed", { message: "The engine of this session ended three times within a minute" }),
    });
    this.#worker.adopt(process);
  }

  get status(): SessionStatus {
    if (this.#questions.size > 0 || this.#picture.isWaiting) return "waiting";
    return this.#picture.isRunning || this.#sent.isBusy ? "running" : "idle";
  }

  get worker(): SessionWorker {
    return this.#worker;
  }

  get inFlight(): number {
    return this.#sent.size;
  }

  /** Where a host stands that has heard nothing of it. */
  get beginning(): SessionCursor {
    return { epoch: this.#options.epoch, seq: this.#options.firstSeq };
  }

  /** Something of it is in a session file. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#idle.settled();
  }

  /** Whether closing the session would end a run. */
  get hasRun(): boolean {
    return this.#questions.size > 0 || this.#picture.isWaiting || this.#picture.isRunning || this.#sent.hasWork;
  }

  /**
   * A promise while a run has ended and what follows it (compaction, `agent_settled`, the results of its prompts) has not: a host that
   * acts on one of these events cannot know which of them the gateway has received.
   */
  get settling(): Promise<void> | undefined {
    return this.#settling && orGiveUp(this.#settling.promise);
  }

  /** A run, or something a host has asked for, is under way. */
  get isBusy(): boolean {
    return this.status !== "idle" || !this.#worker.isSteady;
  }

  /** A promise while a host that must not be left behind has too much unread. */
  #backPressure(): Promise<void> | undefined {
    const held = this.#gate.backPressure();
    if (held) return held;
    for (const { host } of this.hosts.all()) {
      const pressure = host.backPressure();
      if (pressure) return pressure;
    }
    return undefined;
  }

  // Hosts

  /** `answer` is called in its place, before the first frame that the host gets. Where the ring does not reach, that is a snapshot. */
  attach(host: Host, wishes: AttachWishes, answer: AttachAnswer): Attachment {
    const capabilities = withoutTaken(this.hosts.all(), host.id, wishes.capabilities ?? {});
    const attachment = this.hosts.add(host, { ...wishes, capabilities });
    this.#declare();
    this.#idle.look();
    const { since } = wishes;
    if (!since) {
      answer.attached(this.log.cursor, false);
      attachment.isLive = true;
    } else if (since.epoch === this.log.cursor.epoch && this.hosts.canReplay(attachment, since.seq)) {
      answer.attached(since, false); // where the host stands: each frame that follows moves it
      this.hosts.replay(attachment, since.seq);
    } else {
      this.#snapshot(attachment, { ...wishes, since }, answer);
    }
    return attachment;
  }

  detach(hostId: number): void {
    const capabilities = this.hosts.remove(hostId)?.capabilities;
    if (!capabilities) return;
    const lost = (Object.keys(capabilities) as Capability[]).filter((name) => isExclusive(name) && capabilities[name]);
    for (const answer of this.#questions.release(lost)) this.#tellWorker(answer);
    const { calls, hadTools } = this.#tools.release(hostId);
    for (const { id, toolName } of calls) this.#worker.tell(JSON.stringify(lostToolResult(id, toolName)));
    if (hadTools) this.#tellWorker({ type: "set_host_tools", tools: this.#tools.union() });
    this.#declare();
    this.#idle.look();
  }

  /** For this session alone. Throws CommandError for files or a terminal that are another connection's. */
  checkDeclaration({ host }: Attachment, capabilities: Attachment["capabilities"]): void {
    refuseTaken(this.hosts.all(), host.id, capabilities);
  }

  /** What the host can answer. Questions that are open and that it was not asked yet, it is asked now. */
  declare(attachment: Attachment, wish: Attachment["capabilities"]): void {
    const capabilities = withoutTaken(this.hosts.all(), attachment.host.id, wish);
    const before = attachment.capabilities;
    attachment.capabilities = { ...before, ...capabilities };
    this.#declare();
    const isNew = (name: keyof typeof capabilities) => capabilities[name] === true && before[name] !== true;
    for (const { frame } of this.#questions.openFor(isNew)) this.hosts.deliver(attachment, frame);
  }

  /** Throws CommandError. `answer` gets the response behind its id. */
  setTools(hostId: number, tools: unknown, answer: (tail: string) => void): void {
    const { own, union } = this.#tools.unionWith(hostId, tools);
    const before = this.#tools.of(hostId);
    this.#tools.set(hostId, own); // at once, so that a second host cannot take the same name meanwhile
    this.request({ type: "set_host_tools", tools: union }, (tail) => {
      if (!isSuccess(tail)) {
        this.#tools.set(hostId, before);
        return answer(tail);
      }
      if (!this.hosts.has(hostId)) this.#tools.release(hostId);
      answer(successTail("set_host_tools", { toolNames: this.#tools.namesOf(hostId) }));
    });
  }

  /** A command of a host, for the worker. `answer` gets the response behind its id; that of a prompt may be followed by another. */
  command(host: Host, { fields, id, commandKey: key }: HostFrame, answer: (tail: string) => void): void {
    const { type } = fields;
    if (key !== undefined && !this.#keys.claim(key, answer)) return;
    let sentId: string | undefined;
    const onResponse = (tail: string) => {
      if (!isSuccess(tail)) this.#spans.end(sentId, "refused", "refused");
      if (isSuccess(tail)) this.#repeated.accepted(type, fields);
      if (key !== undefined) this.#keys.answered(key, tail);
      answer(tail);
      this.#idle.look();
    };
    if (BEGINS_WORK.has(type) && (this.#options.log?.workableMs() ?? 1) <= 0) {
      const text = "The database does not confirm that this node has the session: try again later";
      onResponse(failureTail(type, new CommandError("store_unavailable", text)));
      return;
    }
    const span = BEGINS_RUN.has(type) ? this.#options.traces?.begin(type, { sessionId: this.id, fields }) : undefined;
    sentId = this.#send(
      { ...fields, ...span?.headers },
      { command: type, from: { host, id }, ...(key !== undefined && { key }), onResponse },
    );
    if (span) this.#spans.add(sentId, span);
    this.#idle.look();
  }

  /** The gateway's own command. `onResponse` is called in its place among the frames. */
  request(fields: Fields & { type: string }, onResponse: (tail: string) => void): void {
    this.#send(fields, { command: fields.type, from: "gateway", onResponse });
  }

  /** An answer of a host to a question; one that comes too late is dropped, as a worker would. */
  answer(host: Host, type: string, fields: Fields): void {
    const has = (name: Capability) => this.hosts.get(host.id)?.capabilities[name] === true;
    const taken = this.#questions.take(type, fields.id, has);
    if (!taken) return;
    this.#worker.tell(JSON.stringify(fields));
    const { capability, cancel } = taken;
    if (cancel) this.#emit(String(cancel.type), JSON.stringify(cancel), { audience: { capability, except: host.id } });
  }

  /** `host_tool_update` and `host_tool_result`: only of the host that was called. */
  toolAnswer(host: Host, type: string, fields: Fields): void {
    if (this.#tools.ownerOfCall(fields.id) !== host.id) return;
    if (type === "host_tool_result") this.#tools.callEnded(fields.id);
    this.#worker.tell(JSON.stringify(fields));
  }

  // Life

  /** Ends the worker; the next command starts another one. */
  async hibernate(): Promise<void> {
    await this.#worker.end();
  }

  /** The worker ends for good. Hosts hear of it with `leave`. */
  async close(): Promise<void> {
    this.#idle.stop();
    if (this.isBusy) this.#abort();
    await this.#worker.close();
    await this.#drained();
  }

  /** The worker is killed in the middle of its run, which another node continues; what it has reported is stored. */
  async leaveRun(): Promise<void> {
    this.#idle.stop();
    this.#isLeaving = true;
    this.#worker.kill();
    await this.#worker.close();
    await this.#drained();
    const error = new CommandError("session_moved", "The run continues on another node");
    this.#sent.failAll((command) => failureTail(command, error));
  }

  /** `session_moved`: it is closed here, and goes on elsewhere. */
  leave(why: "session_closed" | "session_moved"): void {
    this.#tell(why, {});
    this.hosts.clear();
  }

  async #drained(): Promise<void> {
    await orGiveUp(this.#gate.drained());
  }

  /** Another node has the session: the worker must not do anything more, and what it told last is not told here. */
  async lose(node: string | undefined): Promise<void> {
    this.#idle.stop();
    this.#worker.kill();
    const error = new CommandError("session_moved", "Another node has taken the session");
    this.#sent.failAll((command) => failureTail(command, error));
    this.#forgetWork();
    this.#tell("session_moved", node === undefined ? {} : { node });
    this.hosts.clear();
    await this.#worker.close();
  }

  /** The node before has not finished its run: hosts hear of it now, or with their snapshot, until there is another run. */
  tellLostRun(lost: LostRun): void {
    this.#lostRun = lost;
    this.#tell("run_interrupted", { ...lost });
  }

  /** The lease was extended. */
  confirmLease(): void {
    for (const line of this.#leaseLines()) this.#worker.tell(line);
  }

  #leaseLines(): string[] {
    const ms = this.#options.log?.workableMs();
    return ms === undefined ? [] : [JSON.stringify({ type: "confirm_lease", ms: Math.max(ms, 1) })];
  }

  get runs(): number {
    return this.#picture.runCount;
  }

  get isRunning(): boolean {
    return this.#picture.isRunning;
  }

  get pid(): number | undefined {
    return this.#worker.process?.pid;
  }

  limitRun(reason: string): void {
    this.#limit = reason;
    this.#tell("notice", { level: "error", message: reason, source: "server" });
    this.#abort();
  }

  killFor(reason: string): void {
    this.#limit = reason;
    this.#worker.process?.kill();
  }

  #abort(): void {
    for (const type of ["abort_bash", "abort"]) this.#tellWorker({ type });
  }

  #onEnd(lost: readonly string[]): void {
    this.#order.flush();
    const error = new CommandError("worker_exited", "The engine was ended");
    this.#sent.failAll((command) => failureTail(command, error), lost);
    this.#forgetWork();
    this.log.ring.clear();
  }

  #onDeath({ code, signal, stderrTail }: WorkerExit): void {
    this.#order.drop();
    this.#untold.expect();
    this.#forgetWork();
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const error = new CommandError("worker_exited", `The engine of the session ended ${how} before the answer`);
    this.#sent.failAll((command) => failureTail(command, error));
    this.#tell("worker_exited", {
      code,
      signal,
      stderrTail,
      ...(this.#limit !== undefined && { reason: this.#limit }),
    });
    this.#limit = undefined;
  }

  #forgetWork(): void {
    this.#picture.clear();
    this.#spans.endAll("worker_exited");
    this.#endSettling();
    this.#questions.clear();
    this.#tools.forgetCalls();
  }

  // Towards the worker

  #introduction(): string[] {
    const { told } = this.#capabilities;
    return [
      ...this.#leaseLines(),
      ...this.#gate.introduction(),
      ...(this.#untold.isExpected ? [this.#askForUntold()] : []),
      JSON.stringify({ type: "set_update_mode", mode: "delta" }),
      JSON.stringify({ type: "set_event_filter", events: ["*", ...ONLY_IF_NAMED] }),
      ...this.#options.commands.map((command) => JSON.stringify(command)),
      ...this.#repeated.lines(),
      ...(Object.keys(told).length > 0 ? [JSON.stringify({ type: "set_host_capabilities", ...told })] : []),
      ...(this.#tools.isEmpty ? [] : [JSON.stringify({ type: "set_host_tools", tools: this.#tools.union() })]),
    ];
  }

  #askForUntold(): string {
    const onResponse = (tail: string) => {
      if (!isSuccess(tail)) return;
      for (const { type, line } of this.#untold.framesFor(dataIn(tail))) this.#emit(type, line);
    };
    const id = this.#sent.add({ command: "get_entries", from: "gateway", onResponse });
    return JSON.stringify({ ...this.#untold.question(), id });
  }

  /** Returns the id of the command on its way to the worker. */
  #send(fields: Fields, command: Parameters<SentCommands["add"]>[0]): string {
    const id = this.#sent.add(command);
    this.#gate.sending(id, { command: command.command, key: command.key, fields });
    this.#worker.send(JSON.stringify({ ...fields, id }), id);
    return id;
  }

  /** Without it the worker would not know; a worker that is started later is told anyway. */
  #tellWorker(fields: Fields): void {
    this.#worker.tell(JSON.stringify(fields));
  }

  #declare(): void {
    const change = this.#capabilities.change(this.hosts.all());
    if (change) this.#tellWorker({ type: "set_host_capabilities", ...change });
  }

  // From the worker

  #onLine(line: string): void {
    const type = frameType(line);
    if (type === undefined) {
      this.#order.flush();
      this.#sent.onResponse(line);
    } else if (type === "response") {
      this.#order.flush();
      this.#onUnknownCommand(line);
    } else this.#order.push(type, line);
  }

  /** A worker refuses a command that it does not know without its id. */
  #onUnknownCommand(line: string): void {
    const { requestId, ...response } = JSON.parse(line) as Fields;
    if (typeof requestId === "string") this.#sent.settle(requestId, JSON.stringify(response).slice(1));
  }

  #pass(type: string, line: string): void {
    this.#picture.observe(type, line);
    if (type === "agent_start") {
      this.#lostRun = undefined;
      this.#limit = undefined;
    }
    if (type === "agent_end") this.#settling ??= Promise.withResolvers();
    if (type === "agent_start" || type === "session_settled") this.#endSettling();
    if (type === "entry_appended") {
      this.#isStored = true;
      this.#untold.observe(line);
    }
    const special = SPECIAL_FRAMES[type];
    if (special) special.call(this, type, line);
    else this.#emit(type, line, facts(this.id, type, line));
    if (type === "agent_settled" || type === "session_settled") this.#idle.look();
  }

  #endSettling(): void {
    this.#settling?.resolve();
    this.#settling = undefined;
  }

  #emit(type: string, line: string, about?: FrameFacts) {
    const frame = this.log.append(type, line, about);
    this.hosts.deliverAll(frame);
    return frame;
  }

  /** What the gateway itself tells of the session. */
  #tell(type: string, fields: Fields): void {
    this.#emit(type, JSON.stringify({ type, ...fields }));
  }

  passQuestion(type: string, line: string): void {
    const fields = JSON.parse(line) as Fields;
    const audience = this.#questions.audienceOf(type, fields);
    const frame = this.#emit(type, line, audience && { audience });
    this.#questions.sent(frame, fields);
  }

  passToolCall(type: string, line: string): void {
    const { id, toolName } = JSON.parse(line) as { id: string; toolName: string };
    const owner = this.#tools.called(id, toolName);
    if (owner === undefined) this.#tellWorker(lostToolResult(id, toolName));
    else this.#emit(type, line, { audience: { owner } });
  }

  passToolCancel(type: string, line: string): void {
    const { targetId } = JSON.parse(line) as { targetId: string };
    const owner = this.#tools.ownerOfCall(targetId);
    this.#tools.callEnded(targetId);
    if (owner !== undefined) this.#emit(type, line, { audience: { owner } });
  }

  /** The id of the command in it is the gateway's: its sender gets its own, and the others none. */
  passAboutCommand(type: string, line: string): void {
    const { id, commandId, ...rest } = JSON.parse(line) as Fields;
    const sent = this.#sent.find(id ?? commandId);
    if (type === "prompt_result" && typeof id === "string") {
      this.#sent.promptEnded(id);
      this.#spans.end(id, String(rest.status), rest.status === "completed" ? undefined : String(rest.status));
    }
    const from = sent?.from === "gateway" ? undefined : sent?.from;
    const limit = type === "prompt_result" && rest.status === "aborted" ? this.#limit : undefined;
    const fields = {
      ...rest,
      ...(limit !== undefined && { error: { message: limit, retryable: false } }),
      ...(sent?.key !== undefined && { commandKey: sent.key }),
    };
    const own = { [id === undefined ? "commandId" : "id"]: from?.id };
    const toSender = from && { hostId: from.host.id, line: JSON.stringify({ ...fields, ...own }) };
    this.#emit(type, JSON.stringify(fields), toSender && { toSender });
    this.#idle.look();
  }

  /** A mistake in a command names it by the gateway's id: its sender gets its own, and the others none. */
  passNotice(type: string, line: string): void {
    const { requestId, ...fields } = JSON.parse(line) as Fields;
    if (!isSentId(requestId)) {
      this.#emit(type, line);
      return;
    }
    const sent = this.#sent.find(requestId);
    const from = sent?.from === "gateway" ? undefined : sent?.from;
    const toSender = from && { hostId: from.host.id, line: JSON.stringify({ ...fields, requestId: from.id }) };
    this.#emit(type, JSON.stringify(fields), toSender && { toSender });
  }

  /**
   * `sessionId` is the route, and stands there already. Where code of an extension has opened another session in the worker, the
   * route leads there from now on: also the next worker opens that one.
   */
  passSessionInfo(type: string, line: string): void {
    const { sessionId, ...fields } = JSON.parse(line) as Fields;
    const { sessionFile } = fields;
    if (typeof sessionId === "string" && typeof sessionFile === "string") this.#options.onMoved(sessionId, sessionFile);
    this.#emit(type, JSON.stringify(fields));
  }

  #snapshot(
    attachment: Attachment,
    { since, lastEntries }: AttachWishes & { since: SessionCursor },
    answer: AttachAnswer,
  ): void {
    const pending = () => [...this.#questions.frames(), ...this.#picture.waits()];
    const wish = { entryId: since.entryId, lastEntries };
    requestSnapshot({ session: this, picture: this.#picture, pending }, wish, {
      done: (snapshot) => {
        if (!this.hosts.has(attachment.host.id)) return;
        answer.attached(since, true);
        const interrupted = this.#lostRun && { interrupted: this.#lostRun };
        const json = this.log.routed(JSON.stringify({ type: "session_snapshot", ...snapshot, ...interrupted }));
        attachment.host.send({ json, sessionId: this.id });
        attachment.isLive = true;
      },
      fail: (tail) => {
        this.detach(attachment.host.id);
        answer.failed(tail);
      },
    });
  }
}

const SPECIAL_FRAMES: Readonly<Record<string, (this: LiveSession, type: string, line: string) => void>> = {
  extension_ui_request: LiveSession.prototype.passQuestion,
  approval_request: LiveSession.prototype.passQuestion,
  mcp_auth_request: LiveSession.prototype.passQuestion,
  approval_cancel: LiveSession.prototype.passQuestion,
  mcp_auth_cancel: LiveSession.prototype.passQuestion,
  trust_request: LiveSession.prototype.passQuestion,
  trust_resolved: LiveSession.prototype.passQuestion,
  host_fs_request: LiveSession.prototype.passQuestion,
  host_terminal_request: LiveSession.prototype.passQuestion,
  host_tool_call: LiveSession.prototype.passToolCall,
  host_tool_cancel: LiveSession.prototype.passToolCancel,
  prompt_result: LiveSession.prototype.passAboutCommand,
  bash_execution_update: LiveSession.prototype.passAboutCommand,
  notice: LiveSession.prototype.passNotice,
  session_info_changed: LiveSession.prototype.passSessionInfo,
};

/** A store that is away is not waited for without end. */
async function orGiveUp(done: Promise<void>): Promise<void> {
  const isOver = new AbortController();
  await Promise.race([done, delay(STORE_PATIENCE_MS, isOver.signal)]);
  isOver.abort();
}

function facts(sessionId: string, type: string, line: string): FrameFacts | undefined {
  const merge = mergeKey(type, line);
  return merge && { merge: { ...merge, key: `${sessionId}:${merge.key}` } };
}
