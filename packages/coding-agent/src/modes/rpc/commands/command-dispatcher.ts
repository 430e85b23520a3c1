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
import type { Abortable, CommandCall, Connection } from "./command-call.ts";
import { CommandGate } from "./command-gate.ts";
import { CommandLanes, type EarlierCommands } from "./command-lanes.ts";
import { BadFrame, type HostFrame, parseFrame } from "./parse-frame.ts";
import { PromptResults } from "./prompt-results.ts";
import { failureResponse, parseResponse, successResponse, unknownCommandResponse } from "./responses.ts";

export interface DispatcherParts<S> {
  commands: Record<string, CommandRow>;
  /** Parameters are checked by the row before, so each handler may ask for its own type. */
  handlers: Record<string, (session: S, params: never, call: CommandCall) => unknown>;
  session: S;
  /** Ends the active run; resolves when the session is idle. */
  abort(): Promise<void>;
  send(frame: ServerFrame): void;
  /** So much of what was sent is unread that commands should wait. `outputRead` is to be called when that changes. */
  isBehind?(): boolean;
  /** A promise while the host is so far behind that no more should be produced. */
  ready(): Promise<void> | undefined;
  /** There is no run, and nothing left to do for the last one. */
  isSettled(): boolean;
  /** What runs return. */
  results(): Pick<RunResults, "last" | "without">;
  connection: Connection;
  mistakes: Pick<HostMistakes, "isStrict" | "report">;
  /** A fault of our own, for the readers of the log. */
  reportBug(error: unknown): void;
}

/** Reads whose answers are being made; all of those of a pipelining host at once would be there before one can be read. */
const MAX_READS = 8;
const UNREAD_TEXT = "The output is not read, and too many commands wait for that; read it, then send this again";

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

type ParsedCommand = { params: Record<string, unknown> } | { error: unknown };

/** Lines to commands, and each command to its answer. Nothing a line contains can stop it. */
export class CommandDispatcher<S> implements LineListener {
  readonly #parts: DispatcherParts<S>;
  readonly #lanes = new CommandLanes();
  readonly #gate: CommandGate;
  #readsUnderWay = 0;
  readonly #prompts = new PromptResults(
    (frame) => this.#enqueue(frame),
    () => this.#parts.results(),
  );
  readonly #lateOutcomes = new Set<Promise<void>>();
  readonly #abortCounts: Record<Abortable, number> = { runs: 0, bash: 0 };
  /** What is to be sent while a handler runs. */
  #held: ServerFrame[] | undefined;
  /** That handler may begin a run. */
  #isPrompt = false;
  /** What the ordered command that is at work has changed; those run one at a time. */
  #announcement: Announcement | undefined;

  constructor(parts: DispatcherParts<S>) {
    this.#parts = parts;
    this.#gate = new CommandGate(() => this.#readsUnderWay >= MAX_READS || (parts.isBehind?.() ?? false));
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

  /** For events of the session and questions to the host; neither overtakes the answer of the command that caused it. */
  send(frame: ServerFrame): void {
    this.#enqueue(frame);
    this.#prompts.observe(frame);
    // A prompt that came meanwhile has its run next: the end of that one is the end.
    if (frame.type === "agent_settled" && this.#parts.isSettled()) this.#enqueue({ type: "session_settled" });
  }

  /** Commands received so far count as aborted unless they have started. */
  abortEarlier(what: Abortable): void {
    this.#abortCounts[what] += 1;
  }

  /** The host has read some of what was sent. */
  outputRead(): void {
    this.#gate.open();
  }

  /** There is no reader any more: what has not started does not start. */
  hostGone(): void {
    this.#gate.forget();
  }

  /** Resolves when no command waits for the host to read. Returns undefined if none does. */
  started(): Promise<void> | undefined {
    return this.#gate.empty();
  }

  /** Resolves when every command is answered and no late answer can follow. */
  async settled(): Promise<void> {
    await this.started();
    await this.#lanes.idle();
    await Promise.all(this.#lateOutcomes);
  }

  #enqueue(frame: ServerFrame): void {
    if (this.#held && !this.#tellsEarly(frame)) this.#held.push(frame);
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
    if (!isControl && !this.#gate.hasRoom(bytes)) {
      this.#parts.send(failureResponse(frame, new SessionError("busy", UNREAD_TEXT)));
      return;
    }
    const parsed = this.#parse(frame, row, isDamaged);
    // A request that is refused has no effect, so it is read before anything is aborted.
    const idle = row.abortsOnReceipt && "params" in parsed ? this.#abortNow() : undefined;
    const receivedAt = { ...this.#abortCounts };
    const run = (before: EarlierCommands) => this.#run({ frame, row, parsed, receivedAt, before });
    const submit = () => this.#lanes.submit(row, idle ? (before) => idle.then(() => run(before)) : run);
    if (isControl) submit();
    else this.#gate.pass(submit, bytes);
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
      tellOutput: (delta) => {
        const { id } = frame;
        this.#enqueue({ type: "bash_execution_update", ...(id !== undefined && { commandId: id }), delta });
        return this.#parts.ready();
      },
      joinRun: () => this.#prompts.joinsRun(asked),
      // An answer is only ever resolved.
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
    // An answer is only ever resolved.
    void answered.then(() => {
      this.#readsUnderWay -= 1;
      this.#gate.open();
    });
  }

  /** What a command has stored is emitted before its response, as before any event; only a prompt is answered first. */
  #tellsEarly({ type }: ServerFrame): boolean {
    return type === "entry_appended" && !this.#isPrompt;
  }

  /** What a command causes while it is accepted follows its answer. */
  #releaseHeld(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const frame of held) this.#enqueue(frame);
  }

  /** What the command has changed, now that it is answered. */
  #announce(announcement: Announcement): void {
    if (this.#announcement !== announcement) return;
    this.#announcement = undefined;
    for (const frame of announcement.frames) this.#enqueue(frame);
  }

  /** Under the command's id, whatever it is: a host that waits for this answer knows no other. */
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
        // Even a bug is answered under the command's id: the host has its acceptance and would wait for a run.
        this.#parts.send(failureResponse(frame, error));
      },
    );
    this.#lateOutcomes.add(late);
    // Both outcomes are dealt with above.
    void late.finally(() => this.#lateOutcomes.delete(late));
  }
}

/** With `--strict-host` a command with a mistake is not executed. */
class StrictRefusal extends Error {
  readonly code: HostMistake["code"];

  constructor(command: string, { code, reason }: HostMistake) {
    super(`Invalid ${command}: ${reason}`);
    this.code = code;
  }
}

/** What is wrong with a frame although it can be used. */
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
