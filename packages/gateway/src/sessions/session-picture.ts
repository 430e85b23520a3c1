import { isRecord } from "@pintle/ai";
import { OpenMessage } from "./open-message.ts";

interface RunningCall {
  start: string;
  update?: string;
}

/**
 * The state that stored entries do not contain and that a reconnecting host needs: the run, the open message, running tools, and
 * waits that are not questions (previews, and a budget that is used up).
 */
export class SessionPicture {
  readonly message = new OpenMessage();
  /** The lines of each call's events, by the id of the call. */
  readonly #tools = new Map<string, RunningCall>();
  /** The line that reported each preview, by its action id. */
  readonly #previews = new Map<string, string>();
  #budget: string | undefined;
  #damage: string | undefined;
  /** The running jobs, by id, and whether each is a service. */
  readonly #jobs = new Map<string, boolean>();
  #isYielded = false;
  #isRunning = false;
  #runs = 0;

  /** The number of runs since the session was opened. */
  get runCount(): number {
    return this.#runs;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether commands run in the background, which would end with the worker. */
  get hasJobs(): boolean {
    return this.#jobs.size > 0 || this.#isYielded;
  }

  /** Whether the result of a job will still be reported. A service is not expected to end. */
  get awaitsJobs(): boolean {
    return this.#isYielded || [...this.#jobs.values()].includes(false);
  }

  get isWaiting(): boolean {
    return this.#previews.size > 0 || this.#budget !== undefined;
  }

  /** Called with each line of the worker. */
  observe(type: string, line: string): void {
    OBSERVERS[type]?.(this, line);
  }

  /** Clears everything that was in progress, because the worker has ended. */
  clear(): void {
    this.message.end();
    this.#tools.clear();
    this.#previews.clear();
    this.#jobs.clear();
    this.#isYielded = false;
    this.#budget = undefined;
    this.#damage = undefined;
    this.#isRunning = false;
  }

  /** The notice of an engine that has read a damaged session file. */
  get damage(): string | undefined {
    return this.#damage;
  }

  noticed(line: string): void {
    if (line.includes(DAMAGED)) this.#damage = line;
  }

  runningTools(): Record<string, unknown>[] {
    return [...this.#tools.values()].map(({ start, update }) => {
      const { type: _type, ...call } = JSON.parse(start) as Record<string, unknown>;
      const { partialResult } = (update === undefined ? {} : JSON.parse(update)) as Record<string, unknown>;
      return { ...call, ...(partialResult !== undefined && { partialResult }) };
    });
  }

  /** Returns the frames of pending previews. Every host can decide them. */
  previews(): unknown[] {
    return [...this.#previews.values()].map((line) => JSON.parse(line) as unknown);
  }

  /** Returns the frame of a used-up budget while its run waits. */
  budget(): unknown[] {
    return this.#budget === undefined ? [] : [JSON.parse(this.#budget)];
  }

  /** Called with the frame of a used-up budget, or with undefined when the run continues or has ended. */
  budgetReached(line: string | undefined): void {
    this.#budget = line;
  }

  runs(isRunning: boolean): void {
    this.#isRunning = isRunning;
    if (isRunning) this.#runs += 1;
  }

  /** Called when a run has ended; its last fields say whether the result of a job will start another one. */
  runEnded(line: string): void {
    this.#isYielded = line.slice(-MAX_FLAGS).includes(YIELDED);
  }

  settled(): void {
    this.#isYielded = false;
  }

  jobStarted(line: string): void {
    const { job } = JSON.parse(line) as { job?: unknown };
    if (isRecord(job) && typeof job.id === "string") this.#jobs.set(job.id, job.service === true);
  }

  jobEnded(line: string): void {
    const { job } = JSON.parse(line) as { job?: unknown };
    if (isRecord(job) && typeof job.id === "string") this.#jobs.delete(job.id);
  }

  toolStarted(line: string): void {
    const id = toolCallIdOf(line);
    if (id !== undefined) this.#tools.set(id, { start: line });
  }

  toolUpdated(line: string): void {
    const call = this.#tools.get(toolCallIdOf(line) ?? "");
    if (call) call.update = line;
  }

  toolEnded(line: string): void {
    this.#tools.delete(toolCallIdOf(line) ?? "");
  }

  previewAdded(line: string): void {
    const { action } = JSON.parse(line) as { action?: unknown };
    if (isRecord(action) && typeof action.actionId === "string") this.#previews.set(action.actionId, line);
  }

  previewResolved(line: string): void {
    const { actionId } = JSON.parse(line) as { actionId?: unknown };
    if (typeof actionId === "string") this.#previews.delete(actionId);
  }
}

const YIELDED = '"awaitingAsyncWork":true';
const MAX_FLAGS = 200;
const DAMAGED = '"code":"damaged_session"';

const OBSERVERS: Readonly<Record<string, (picture: SessionPicture, line: string) => void>> = {
  agent_start: (picture) => picture.runs(true),
  agent_end(picture, line) {
    picture.budgetReached(undefined);
    picture.runEnded(line);
  },
  agent_settled: (picture) => picture.runs(false),
  session_settled: (picture) => picture.settled(),
  async_job_start: (picture, line) => picture.jobStarted(line),
  async_job_end: (picture, line) => picture.jobEnded(line),
  budget_reached: (picture, line) => picture.budgetReached(line),
  notice: (picture, line) => picture.noticed(line),
  message_start(picture, line) {
    picture.budgetReached(undefined);
    picture.message.start(line);
  },
  message_update: (picture, line) => picture.message.update(line),
  message_end: (picture) => picture.message.end(),
  tool_execution_start: (picture, line) => picture.toolStarted(line),
  tool_execution_update: (picture, line) => picture.toolUpdated(line),
  tool_execution_end: (picture, line) => picture.toolEnded(line),
  pending_action_added: (picture, line) => picture.previewAdded(line),
  pending_action_resolved: (picture, line) => picture.previewResolved(line),
};

const TOOL_CALL_ID = /^\{"type":"tool_execution_[a-z]+","toolCallId":("(?:[^"\\]|\\.)*")/;

/** Reads only the start of the line, because the tool output that follows may be long. */
export function toolCallIdOf(line: string): string | undefined {
  const quoted = TOOL_CALL_ID.exec(line)?.[1];
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}
