import { isRecord } from "@pintle/ai";
import { OpenMessage } from "./open-message.ts";

interface RunningCall {
  start: string;
  update?: string;
}

/**
 * What a host that was away cannot learn from stored entries: the run, the open message, running tools, and what waits without a
 * question of its own, previews and a budget that is used up.
 */
export class SessionPicture {
  readonly message = new OpenMessage();
  /** By id of the call: the lines of its events. */
  readonly #tools = new Map<string, RunningCall>();
  /** By id of the action: the line that told of it. */
  readonly #previews = new Map<string, string>();
  #budget: string | undefined;
  #isRunning = false;
  #runs = 0;

  /** Counts runs since the session was opened. */
  get runCount(): number {
    return this.#runs;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isWaiting(): boolean {
    return this.#previews.size > 0 || this.#budget !== undefined;
  }

  /** The newest line of a worker. */
  observe(type: string, line: string): void {
    OBSERVERS[type]?.(this, line);
  }

  /** The worker is gone, and with it everything that was under way. */
  clear(): void {
    this.message.end();
    this.#tools.clear();
    this.#previews.clear();
    this.#budget = undefined;
    this.#isRunning = false;
  }

  runningTools(): Record<string, unknown>[] {
    return [...this.#tools.values()].map(({ start, update }) => {
      const { type: _type, ...call } = JSON.parse(start) as Record<string, unknown>;
      const { partialResult } = (update === undefined ? {} : JSON.parse(update)) as Record<string, unknown>;
      return { ...call, ...(partialResult !== undefined && { partialResult }) };
    });
  }

  /** The frames that told of what waits. */
  waits(): unknown[] {
    const lines = [...this.#previews.values(), ...(this.#budget === undefined ? [] : [this.#budget])];
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** undefined: the run goes on, or has ended. */
  budgetReached(line: string | undefined): void {
    this.#budget = line;
  }

  runs(isRunning: boolean): void {
    this.#isRunning = isRunning;
    if (isRunning) this.#runs += 1;
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

const OBSERVERS: Readonly<Record<string, (picture: SessionPicture, line: string) => void>> = {
  agent_start: (picture) => picture.runs(true),
  agent_end: (picture) => picture.budgetReached(undefined),
  agent_settled: (picture) => picture.runs(false),
  budget_reached: (picture, line) => picture.budgetReached(line),
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

/** Read from the beginning of the line: what follows, the output of a tool, may be long. */
export function toolCallIdOf(line: string): string | undefined {
  const quoted = TOOL_CALL_ID.exec(line)?.[1];
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}
