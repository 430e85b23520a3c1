import { SessionError } from "@pintle/storage";
import {
  type CommandRow,
  FieldError,
  fieldNames,
  frameMistakes,
  type HostMistake,
  type HostMistakes,
  type LineListener,
  parseParams,
  type ServerFrame,
} from "@pintle/wire";
import type { RunResults } from "../../../session/results/run-results.ts";
import { unknownFieldText } from "../host/unknown-field.ts";
import { CommandBacklog } from "./command-backlog.ts";
import type { Abortable, CommandCall, Connection } from "./command-call.ts";
import { CommandLanes, type EarlierCommands } from "./command-lanes.ts";
import { BadFrame, type HostFrame, parseFrame } from "./parse-frame.ts";
import { PromptResults } from "./prompt-results.ts";
import { failureResponse, parseResponse, successResponse, unknownCommandResponse } from "./responses.ts";

export interface DispatcherParts<S> {
  commands: Record<string, CommandRow>;
  /** The command's row validates the parameters first, so each handler can declare its own type. */
  handlers: Record<string, (session: S, params: never, call: CommandCall) => unknown>;
  session: S;
  /** Ends the active run. Resolves when the session is idle. */
  abort(): Promise<void>;
  send(frame: ServerFrame): void;
  /** Whether so much output is unread that commands should wait. `outputRead` must be called when that changes. */
  isBehind?(): boolean;
  /** Returns a promise while the host is so far behind that the producer should pause. */
  ready(): Promise<void> | undefined;
  /** Whether there is no run, and nothing left to do for the last one. */
  isSettled(): boolean;
  /** Whether a background job is pending, whose result starts another run. */
  awaitsJobs?(): boolean;
  /** Returns the result of a run. */
  results(): Pick<RunResults, "last" | "without">;
  connection: Connection;
  mistakes: Pick<HostMistakes, "isStrict" | "report">;
  /** Logs a bug in pintle. */
  reportBug(error: unknown): void;
}

/**
 * Maximum number of reads in progress. Without it, all responses to a pipelining host would be in memory before it reads
 * one.
 */
const MAX_READS = 8;
const UNREAD_TEXT =
  "Too many commands are waiting, because the output is not being read; read it, then send this command again";

interface ReceivedCommand {
  frame: HostFrame;
  row: CommandRow;
  parsed: ParsedCommand;
  receivedAt: Record<Abortable, number>;
  before: EarlierCommands;
}

interface Announcement {
  types: readonly ServerFrame["type"][];
  frames: ServerFrame[];
}

/** Added to the end of a run while a background job is pending. */
const YIELDED = { awaitingAsyncWork: true, isTerminal: false, yielded: true } as const;

type ParsedCommand = { params: Record<string, unknown> } | { error: unknown };

/** Reads lines as commands and answers each command. Nothing in a line can stop it. */
export class CommandDispatcher<S> implements LineListener {
  readonly #parts: DispatcherParts<S>;
  readonly #lanes = new CommandLanes();
  readonly #backlog: CommandBacklog;
  #readsUnderWay = 0;
  readonly #prompts = new PromptResults(
    (frame) => this.#enqueue(this.#parts.awaitsJobs?.() ? { ...frame, awaitingAsyncWork: true } : frame),
    () => this.#parts.results(),
  );
  /** A run has settled, and something is left to do. */
  #isUnsettled = false;
  readonly #lateOutcomes = new Set<Promise<void>>();
  readonly #abortCounts: Record<Abortable, number> = { runs: 0, bash: 0 };
  /** Frames to send after the running handler has returned. */
  #held: ServerFrame[] | undefined;
  /** Whether that handler may start a run. */
  #isPrompt = false;
  /** Changes made by the active ordered command. Ordered commands run one at a time. */
  #announcement: Announcement | undefined;

  constructor(parts: DispatcherParts<S>) {
    this.#parts = parts;
    this.#backlog = new CommandBacklog(() => this.#readsUnderWay >= MAX_READS || (parts.isBehind?.() ?? false));
  }

  onLine(line: string, isDamaged = false): void {
    let frame: HostFrame;
    try {
      frame = parseFrame(line);
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      this.#parts.send(parseResponse(error, error.id));
      if (error.head) this.#parts.connection.host.onAnswer(error.head.type, error.head.fields);
      return;
    }
    this.#dispatch(frame, line.length, isDamaged);
  }

  onOverlongLine(): void {
    this.#parts.send(parseResponse(new BadFrame("the line is longer than 256 MiB")));
  }

  /** Sends events of the session and questions to the host. Neither overtakes the response to the command that caused it. */
  send(frame: ServerFrame): void {
    this.#enqueue(frame.type === "agent_end" && this.#parts.awaitsJobs?.() ? { ...frame, ...YIELDED } : frame);
    this.#prompts.observe(frame);
    // If another prompt arrived meanwhile, its run comes next; a pending job is followed by one, or by its end.
    const isEnd = frame.type === "agent_settled" || (frame.type === "async_job_end" && this.#isUnsettled);
    if (!isEnd) return;
    this.#isUnsettled = !this.#parts.isSettled();
    if (!this.#isUnsettled) this.#enqueue({ type: "session_settled" });
  }

  /** Marks the commands received so far as aborted, unless they have started. */
  abortEarlier(what: Abortable): void {
    this.#abortCounts[what] += 1;
  }

  /** Must be called when the host has read some output. */
  outputRead(): void {
    this.#backlog.open();
  }

  /** Must be called when the reader is gone. Commands that have not started will not start. */
  hostGone(): void {
    this.#backlog.forget();
  }

  /** Resolves when no command waits for the host to read. Returns undefined if none does. */
  started(): Promise<void> | undefined {
    return this.#backlog.empty();
  }

  /** Resolves when every command is answered and no late response can follow. */
  async settled(): Promise<void> {
    await this.started();
    await this.#lanes.idle();
    await Promise.all(this.#lateOutcomes);
  }

  #enqueue(frame: ServerFrame): void {
    if (this.#held && !this.#mayOvertake(frame)) this.#held.push(frame);
    else if (this.#announcement?.types.includes(frame.type)) this.#announcement.frames.push(frame);
    else this.#parts.send(frame);
  }

  #dispatch(frame: HostFrame, bytes: number, isDamaged: boolean): void {
    if (this.#parts.connection.host.onAnswer(frame.type, frame.fields)) {
      for (const mistake of mistakesOf(frame, { isDamaged })) this.#parts.mistakes.report(mistake);
      return;
    }
    const row = ownValue(this.#parts.commands, frame.type);
    if (!row) {
      this.#parts.send(unknownCommandResponse(frame));
      return;
    }
    const isControl = row.lane === "control";
    if (!isControl && !this.#backlog.hasRoom(bytes)) {
      this.#parts.send(failureResponse(frame, new SessionError("busy", UNREAD_TEXT)));
      return;
    }
    const parsed = this.#parse(frame, row, isDamaged);
    // A refused request must have no effect, so parse it before aborting anything.
    const idle = row.abortsOnReceipt && "params" in parsed ? this.#abortNow() : undefined;
    const receivedAt = { ...this.#abortCounts };
    const run = (before: EarlierCommands) => this.#run({ frame, row, parsed, receivedAt, before });
    const submit = () => this.#lanes.submit(row, idle ? (before) => idle.then(() => run(before)) : run);
    if (isControl) submit();
    else this.#backlog.pass(submit, bytes);
  }

  #abortNow(): Promise<void> {
    this.abortEarlier("runs");
    return this.#parts.abort().catch(this.#parts.reportBug);
  }

  #parse(frame: HostFrame, row: CommandRow, isDamaged: boolean): ParsedCommand {
    const unknown: string[] = [];
    try {
      const params = parseParams(row, frame.fields, unknown);
      const known = unknown.length > 0 ? fieldNames(row) : [];
      const mistakes = mistakesOf(frame, { isDamaged, unknown, known });
      if (this.#parts.mistakes.isStrict && mistakes[0]) return { error: new StrictRefusal(frame.type, mistakes[0]) };
      for (const mistake of mistakes) this.#parts.mistakes.report(mistake);
      return { params };
    } catch (error) {
      if (!(error instanceof FieldError)) return { error };
      return { error: new SessionError("invalid_request", `Invalid ${frame.type}: ${error.message}`) };
    }
  }

  #run({ frame, row, parsed, receivedAt, before }: ReceivedCommand): void | Promise<void> {
    const answered = Promise.withResolvers<void>();
    const asked = { id: frame.id };
    const call: CommandCall = {
      abortEarlier: (what) => this.abortEarlier(what),
      isAborted: (what) => this.#abortCounts[what] !== receivedAt[what],
      earlierBash: before.detached,
      failLate: (outcome) => this.#failLate(frame, outcome, answered.promise),
      answer: (data) => succeed(data),
      sendOutput: (delta) => {
        const { id } = frame;
        this.#enqueue({ type: "bash_execution_update", ...(id !== undefined && { commandId: id }), delta });
        return this.#parts.ready();
      },
      joinRun: () => this.#prompts.joinsRun(asked),
      // This promise never rejects.
      leaveRun: () => void answered.promise.then(() => this.#prompts.runIsOver(asked)),
      // as above
      endWithoutRun: (ending) => void answered.promise.then(() => this.#prompts.handled(asked, ending)),
      connection: this.#parts.connection,
    };
    let isAnswered = false;
    const answer = (send: () => void) => {
      if (isAnswered) return;
      isAnswered = true;
      send();
      this.#announce(announcement);
    };
    const succeed = (data: unknown) => answer(() => this.#parts.send(successResponse(frame, data)));
    const fail = (error: unknown) => answer(() => this.#fail(frame, error));
    const announcement = { types: row.announces ?? [], frames: [] };
    this.#held = [];
    this.#isPrompt = row.beginsRun === true;
    try {
      if ("error" in parsed) throw parsed.error;
      const result = this.#parts.handlers[frame.type]!(this.#parts.session, parsed.params as never, call);
      if (result instanceof Promise) {
        if (announcement.types.length > 0 && !isAnswered) this.#announcement = announcement;
        if (row.lane === "read" && !row.letsOthersPass) this.#countRead(answered.promise);
        return result.then(succeed).catch(fail).finally(answered.resolve);
      }
      succeed(result);
    } catch (error) {
      fail(error);
    } finally {
      this.#releaseHeld();
    }
    answered.resolve();
  }

  #countRead(answered: Promise<void>): void {
    this.#readsUnderWay += 1;
    // This promise never rejects.
    void answered.then(() => {
      this.#readsUnderWay -= 1;
      this.#backlog.open();
    });
  }

  /** Emits what a command has stored before its response, as before any event. Only prompts are answered first. */
  #mayOvertake({ type }: ServerFrame): boolean {
    return type === "entry_appended" && !this.#isPrompt;
  }

  /** Sends what a command caused while it was being accepted, after its response. */
  #releaseHeld(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const frame of held) this.#enqueue(frame);
  }

  /** Emits the changes made by the command, after its response. */
  #announce(announcement: Announcement): void {
    if (this.#announcement !== announcement) return;
    this.#announcement = undefined;
    for (const frame of announcement.frames) this.#enqueue(frame);
  }

  /** Answers with the command's id, whatever it is, because the waiting host knows no other. */
  #fail(frame: HostFrame, error: unknown): void {
    if (error instanceof StrictRefusal) {
      this.#parts.send(failureResponse(frame, error, error.code));
      return;
    }
    if (!(error instanceof SessionError)) this.#parts.reportBug(error);
    this.#parts.send(failureResponse(frame, error));
  }

  #failLate(frame: HostFrame, outcome: Promise<unknown>, answered: Promise<void>): void {
    const late = outcome.then(
      () => {},
      async (error: unknown) => {
        if (!(error instanceof SessionError)) this.#parts.reportBug(error);
        await answered;
        // Answer even a bug with the command's id, because the host has the acceptance and would wait for a run.
        this.#parts.send(failureResponse(frame, error));
      },
    );
    this.#lateOutcomes.add(late);
    // Both outcomes are handled above.
    void late.finally(() => this.#lateOutcomes.delete(late));
  }
}

/** With `--strict-host`, a command with a mistake is not executed. */
class StrictRefusal extends Error {
  readonly code: HostMistake["code"];

  constructor(command: string, { code, reason }: HostMistake) {
    super(`Invalid ${command}: ${reason}`);
    this.code = code;
  }
}

/** Returns the mistakes of a frame that can be used nevertheless. */
function mistakesOf(
  { type, id, requestId: idText }: HostFrame,
  {
    isDamaged,
    unknown = [],
    known = [],
  }: { isDamaged: boolean; unknown?: readonly string[]; known?: readonly string[] },
): HostMistake[] {
  const requestId = id ?? idText;
  const unknownFields = unknown.map((field): HostMistake => {
    return { code: "unknown_field", reason: unknownFieldText(type, field, known), requestId };
  });
  return [...frameMistakes(type, { id, idText, isDamaged }), ...unknownFields];
}

function ownValue<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
