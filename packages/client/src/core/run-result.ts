import type {
  AgentEndEvent,
  AgentMessage,
  AssistantMessage,
  FileSummary,
  ModelUse,
  PromptResultEvent,
  RpcEvent,
  RunDenial,
  RunStopReason,
  Usage,
} from "../protocol.ts";

/** What ended a run. Newer servers may send other values. */
export type RunEnd =
  | "stop"
  | "length"
  | "abort"
  | "timeout"
  | "budget"
  | "denied"
  | "turn_limit"
  | "output"
  | "error"
  | (string & {});

interface RunFacts {
  /** False if the prompt was handled without the model, by an extension command. */
  agentInvoked: boolean;
  stopReason?: RunStopReason;
  /** Absent if there was no run. */
  endedBy?: RunEnd;
  /** The text of the last answer that contains any, complete or not. */
  text: string;
  /** Every message of the run. */
  messages: AgentMessage[];
  /** The last rejected value, when `endedBy` is `output`. */
  rejectedOutput?: unknown;
  outputAttempts?: number;
  usage: Usage;
  /** In USD; null if a model has no known price. */
  cost: number | null;
  /** In the order of first use. */
  models: ModelUse[];
  turns: number;
  toolCalls: number;
  durationMs: number;
  sessionId: string;
  /** Absent when nothing is stored. */
  sessionFile?: string;
  /** Empty if the server does not report it (capability `run_result`). */
  filesChanged: FileSummary[];
  /** Empty if the server does not report it (capability `run_result`). */
  denials: RunDenial[];
  /** How many entries were omitted because of the server's limits. */
  omitted?: { filesChanged?: number; denials?: number };
  error?: NonNullable<PromptResultEvent["error"]>;
  /** The message of `error`. */
  errorMessage?: string;
}

export interface CompletedRun<T = unknown> extends RunFacts {
  status: "completed";
  output: T;
}

export interface UnfinishedRun extends RunFacts {
  status: "aborted" | "error";
  output?: undefined;
}

/** The result of a prompt. Once `status` is narrowed to `completed`, `output` has the schema's type. */
export type RunResult<T = unknown> = CompletedRun<T> | UnfinishedRun;

/** Where a run takes place. */
export interface RunPlace {
  sessionId: string;
  sessionFile?: string;
}

const ENDS: Record<RunStopReason, RunEnd> = { stop: "stop", length: "length", aborted: "abort", error: "error" };

/** Follows the events of a run, so that a result is available even if its end never arrives. */
export class RunProgress {
  readonly #place: () => RunPlace;
  readonly #startedAt = Date.now();
  readonly #messages: AgentMessage[] = [];
  #answer: AssistantMessage | undefined;

  constructor(place: () => RunPlace) {
    this.#place = place;
  }

  follow(event: RpcEvent): void {
    if (event.type === "message_end") {
      this.#messages.push(event.message);
      this.#answer = undefined;
    } else if (event.type === "message_start" || event.type === "message_update") {
      if (event.message.role === "assistant") this.#answer = event.message;
    }
  }

  /** Returns the result of a run that ended for this client, whatever it does on the server. */
  partial(status: UnfinishedRun["status"], endedBy: RunEnd, message?: string): UnfinishedRun {
    const messages = [...this.#messages, ...(this.#answer ? [this.#answer] : [])];
    return {
      ...this.#facts(messages),
      status,
      agentInvoked: messages.length > 0,
      endedBy,
      ...(message !== undefined && { error: { message, retryable: false }, errorMessage: message }),
    };
  }

  /** Builds the result. Without either event, an older server handled the prompt without the model. */
  result(end: AgentEndEvent | undefined, promptResult: Partial<PromptResultEvent> | undefined): RunResult {
    const messages = end?.messages ?? this.#messages;
    const { type: _type, id: _id, commandKey: _key, sessionSettled: _settled, ...reported } = promptResult ?? {};
    const error = promptResult?.error ?? failureOf(end);
    const facts = {
      ...this.#facts(messages),
      agentInvoked: end !== undefined,
      status: end ? statusOf(end) : "completed",
      ...(end && { stopReason: end.stopReason, endedBy: end.endedBy ?? ENDS[end.stopReason] ?? end.stopReason }),
      ...reported,
      ...(error && { error, errorMessage: error.message }),
    };
    // The server guarantees what the union promises: an output exists exactly when a run with a schema has completed.
    return facts as RunResult;
  }

  #facts(messages: AgentMessage[]): Omit<RunFacts, "agentInvoked"> {
    const answers = messages.filter((message): message is AssistantMessage => message.role === "assistant");
    const usage = sumOf(answers);
    return {
      text: answers.map(textOf).findLast((text) => text !== "") ?? "",
      messages,
      usage,
      cost: costOf(usage),
      models: modelsOf(answers),
      turns: answers.length,
      toolCalls: answers.flatMap(({ content }) => content).filter(({ type }) => type === "toolCall").length,
      durationMs: Date.now() - this.#startedAt,
      ...this.#place(),
      filesChanged: [],
      denials: [],
    };
  }
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function statusOf({ stopReason }: AgentEndEvent): RunResult["status"] {
  if (stopReason === "error") return "error";
  return stopReason === "aborted" ? "aborted" : "completed";
}

function failureOf(end: AgentEndEvent | undefined): RunFacts["error"] {
  if (end?.stopReason !== "error") return undefined;
  const answer = end.messages.findLast((message) => message.role === "assistant");
  return answer?.errorMessage === undefined ? undefined : { message: answer.errorMessage, retryable: false };
}

function modelsOf(answers: readonly AssistantMessage[]): ModelUse[] {
  const groups = new Map<string, AssistantMessage[]>();
  for (const answer of answers) {
    const key = JSON.stringify([answer.provider, answer.model]);
    groups.set(key, [...(groups.get(key) ?? []), answer]);
  }
  return [...groups.values()].map((own) => {
    const { provider, model } = own[0]!;
    const usage = sumOf(own);
    return { provider, model, turns: own.length, usage, cost: costOf(usage) };
  });
}

/** Returns null for tokens without a cost: the model's price is unknown. */
function costOf({ totalTokens, cost }: Usage): number | null {
  return totalTokens > 0 && cost.total === 0 ? null : cost.total;
}

function sumOf(answers: readonly AssistantMessage[]): Usage {
  const sum: Usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  for (const { usage } of answers) {
    if (!usage) continue; // older servers omit it from a failed answer
    for (const key of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const)
      sum[key] += usage[key] ?? 0;
    for (const key of ["input", "output", "cacheRead", "cacheWrite", "total"] as const) {
      sum.cost[key] += usage.cost?.[key] ?? 0;
    }
  }
  return sum;
}
