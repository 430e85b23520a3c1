import type { AgentEndEvent, CallOptions, InputImage, PromptResultEvent, RpcEvent } from "../protocol.ts";
import { RpcClosedError, RpcCommandError, RpcTimeoutError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";
import { type RunPlace, RunProgress, type RunResult } from "./run-result.ts";
import type { PromptWatcher } from "./run-tracker.ts";
import type { Infer } from "./schemas/infer.ts";
import { toJsonSchema, validated, violationText } from "./schemas/schema-value.ts";
import type { Waits } from "./waits.ts";

export interface RunOptions<S = unknown> extends CallOptions {
  images?: InputImage[];
  /** Required while a run is active: the message is queued, and this call follows the active run to its end. */
  streamingBehavior?: "steer" | "followUp";
  /** Describes the output: a TypeBox schema, a JSON Schema or a Standard Schema. `false` disables the client's default. */
  outputSchema?: S;
  /** Aborts the run, which then resolves with `endedBy: "abort"`. Rejects with the reason if already aborted. */
  signal?: AbortSignal;
  /** Ends the run after this time; it then resolves with `endedBy: "timeout"`. Default: no limit. */
  timeoutMs?: number;
}

/** The type of `output` in the result of a run with these options. */
export type OutputOf<S> = S extends object ? Infer<S> : unknown;

/** Yields the events of a run up to `agent_end`. Leaving the loop early stops listening, not the run. */
export interface Run<T = unknown> extends AsyncIterable<RpcEvent> {
  readonly result: Promise<RunResult<T>>;
}

export interface RunParts {
  waits: Waits;
  /** True if the server enforces `timeoutMs` and reports each result with `prompt_result`. */
  hasResults: boolean;
  hasOutputs: boolean;
  /** The client's default schema. */
  outputSchema: object | undefined;
  place(): RunPlace;
  /** Sends the prompt. Rejects if the server does. */
  prompt(params: object, watcher: PromptWatcher): Promise<unknown>;
  abort(): void;
}

interface RunListener {
  onEvent?(event: RpcEvent): void;
  /** Called while the run's last event is delivered. */
  onEnd?(): void;
}

/** How long a run may stay silent after its timeout. */
const SILENCE_MS = 10_000;

/** Follows a prompt to its end. Resolves whenever there is a result, including that of an aborted run. */
export async function followRun(parts: RunParts, options: RunOptions, listener: RunListener = {}): Promise<RunResult> {
  const { signal, timeoutMs, images, streamingBehavior, outputSchema = parts.outputSchema } = options;
  signal?.throwIfAborted();
  const schema = outputSchema === false ? undefined : outputSchema;
  // Throws for a value that is not a schema; otherwise the run would complete without an output.
  const jsonSchema = schema === undefined ? undefined : toJsonSchema(schema, "outputSchema");
  if (jsonSchema && !parts.hasOutputs) throw outputNotSupported("prompt");
  const params = {
    images,
    streamingBehavior,
    ...(options.outputSchema !== undefined && parts.hasOutputs && { outputSchema: jsonSchema ?? false }),
    ...(timeoutMs !== undefined && parts.hasResults && { timeoutMs }),
  };
  const progress = new RunProgress(parts.place);
  const result = await follow(parts, params, { signal, timeoutMs, progress, listener });
  return schema === undefined ? result : withValidOutput(result, schema);
}

interface Following {
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
  progress: RunProgress;
  listener: RunListener;
}

async function follow(parts: RunParts, params: object, { signal, timeoutMs, progress, listener }: Following) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Why this side ended the run. */
  let cause: "abort" | "timeout" | undefined;
  try {
    return await parts.waits.wait<RunResult>({
      what: "run",
      start: ({ resolve, reject }) => {
        const end = (why: "abort" | "timeout") => {
          cause ??= why;
          parts.abort();
        };
        const onAbort = () => end("abort");
        const giveUp = () => {
          parts.abort();
          reject(new RpcTimeoutError(`run took longer than ${timeoutMs} ms`));
        };
        const startTimer = () => {
          if (timeoutMs === undefined) return;
          if (parts.hasResults) timer = setTimeout(giveUp, timeoutMs + SILENCE_MS);
          else {
            timer = setTimeout(() => {
              end("timeout");
              timer = setTimeout(giveUp, SILENCE_MS);
            }, timeoutMs);
          }
        };
        const onFailure = (error: unknown) => {
          // The abort arrived before the run started.
          const isAborted = cause !== undefined && codeOf(error) === "cancelled";
          if (isAborted) resolve(progress.partial("aborted", cause!));
          else reject(error);
        };
        signal?.addEventListener("abort", onAbort);
        parts
          .prompt(params, {
            onEvent: (event) => {
              progress.follow(event);
              listener.onEvent?.(event);
            },
            onEnd: (event, promptResult) => {
              listener.onEnd?.();
              resolve(ended(progress, cause, event, promptResult));
            },
            onFailure,
          })
          .then(startTimer, onFailure);
        return () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
      },
    });
  } catch (error) {
    throw withPartial(error, progress);
  }
}

/** Returns the code of any error that has one: in-process sessions throw errors of their own. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Adds the cause of the end, because an older server reports nothing but an abort. */
function ended(
  progress: RunProgress,
  cause: string | undefined,
  event?: AgentEndEvent,
  promptResult?: PromptResultEvent,
) {
  const result = progress.result(event, promptResult);
  if (cause === undefined || result.status !== "aborted") return result;
  const isReported = result.endedBy !== undefined && result.endedBy !== "abort";
  return isReported ? result : { ...result, endedBy: cause };
}

async function withValidOutput(result: RunResult, schema: unknown): Promise<RunResult> {
  if (result.status !== "completed" || !result.agentInvoked) return result;
  const checked = await validated(schema, result.output);
  if ("value" in checked) return { ...result, output: checked.value };
  const { output: rejectedOutput, ...rest } = result;
  const message = `The output does not match the schema: ${violationText(checked.violations)}`;
  return {
    ...rest,
    status: "error",
    endedBy: "output",
    rejectedOutput,
    error: { message, retryable: false },
    errorMessage: message,
  };
}

function withPartial(error: unknown, progress: RunProgress): unknown {
  if (error instanceof RpcClosedError) return error.withPartial(progress.partial("error", "error", error.message));
  if (error instanceof RpcTimeoutError) error.partial = progress.partial("aborted", "timeout", error.message);
  return error;
}

export function outputNotSupported(command: string): RpcCommandError {
  const error = "The server is too old for outputSchema (capability output_schema)";
  return new RpcCommandError({ command, code: "not_supported", error });
}

export function createRun(parts: RunParts, options: RunOptions): Run {
  const stream = new EventStream();
  const result = followRun(parts, options, {
    onEvent: (event) => {
      stream.push(event);
      if (event.type === "agent_end") stream.close();
    },
  });
  // This also handles a failure that only the iterating caller sees.
  result.then(
    () => stream.close(),
    (error) => stream.fail(error),
  );
  return { result, [Symbol.asyncIterator]: () => stream };
}
