import type {
  AgentEndEvent,
  AgentMessage,
  AssistantMessage,
  CallOptions,
  InputImage,
  RpcEvent,
  RunStopReason,
} from "../protocol.ts";
import { EventStream } from "./event-stream.ts";
import type { PromptWatcher } from "./run-tracker.ts";
import type { Waits } from "./waits.ts";

export interface RunOptions extends CallOptions {
  images?: InputImage[];
  /** Needed while a run is active: the message is queued, and this follows the active run to its end. */
  streamingBehavior?: "steer" | "followUp";
  /** Aborts the run. Its closing events are still delivered; then it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For the whole run. The run itself goes on when the time is over. */
  timeoutMs?: number;
}

export interface RunResult {
  /** False: the prompt was handled without the model, by a command of an extension. */
  agentInvoked: boolean;
  /** The text of the last answer. */
  text: string;
  /** Every message of the run. */
  messages: AgentMessage[];
  stopReason?: RunStopReason;
  /** When `stopReason` is `error`. */
  errorMessage?: string;
}

/** The events of a run up to its `agent_end`. Leaving the loop early stops listening, not the run. */
export interface Run extends AsyncIterable<RpcEvent> {
  readonly result: Promise<RunResult>;
}

export interface RunParts {
  waits: Waits;
  /** Sends the prompt. Rejects when it is refused. */
  prompt(watcher: PromptWatcher): Promise<unknown>;
  abort(): void;
}

/** Follows a prompt to its end. With a stream, its events can be read there. */
export function followRun(
  { waits, prompt, abort }: RunParts,
  { signal, timeoutMs }: Pick<RunOptions, "signal" | "timeoutMs">,
  stream?: EventStream,
): Promise<RunResult> {
  return waits.wait<RunResult>({
    what: "run",
    timeoutMs,
    start: ({ resolve, reject }) => {
      signal?.throwIfAborted();
      const fail = (error: unknown) => reject(signal?.aborted ? signal.reason : error);
      signal?.addEventListener("abort", abort);
      prompt({
        onEvent: (event) => stream?.push(event),
        onEnd: (event) => (signal?.aborted ? fail(undefined) : resolve(toResult(event))),
        onFailure: fail,
      }).catch(fail);
      return () => signal?.removeEventListener("abort", abort);
    },
  });
}

export function createRun(parts: RunParts, options: RunOptions): Run {
  const stream = new EventStream();
  const result = followRun(parts, options, stream);
  // Also the end of a failure that only the iteration hears of.
  result.then(
    () => stream.close(),
    (error) => stream.fail(error),
  );
  return { result, [Symbol.asyncIterator]: () => stream };
}

function toResult(event: AgentEndEvent | undefined): RunResult {
  if (!event) return { agentInvoked: false, text: "", messages: [] };
  const { messages, stopReason } = event;
  const answer = messages.findLast((message): message is AssistantMessage => message.role === "assistant");
  const text = (answer?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
  const isFailed = stopReason === "error" && answer?.errorMessage !== undefined;
  return { agentInvoked: true, text, messages, stopReason, ...(isFailed && { errorMessage: answer.errorMessage }) };
}
