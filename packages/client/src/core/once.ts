import type { ApprovalAnswer, ApprovalHandler } from "../protocol.ts";
import { EventStream } from "./event-stream.ts";
import { createQuery, type Query } from "./query.ts";
import type { Handler, PreviewAnswer, PreviewHandler } from "./question-handlers.ts";
import type { RpcCore, StartOptions } from "./rpc-core.ts";
import type { OutputOf, RunOptions } from "./run.ts";
import { RunProgress, type RunResult } from "./run-result.ts";

/** A client that can be started and stopped. */
export interface StartableClient extends RpcCore {
  start(options?: StartOptions): Promise<unknown>;
  stop(): Promise<void>;
}

/** Options of the client and of the prompt. */
export type OnceOptions<
  O,
  S = unknown,
  A extends ApprovalAnswer = ApprovalAnswer,
  P extends PreviewAnswer = PreviewAnswer,
> = Omit<O, "outputSchema" | "onApproval" | "onPreview"> &
  Omit<RunOptions<S>, "streamingBehavior"> & {
    /** A started client or session to use instead. It is not stopped, and options that belong to a client throw a TypeError. */
    client?: RpcCore;
    /** Decides whether a tool call may run. Without it, calls that need approval are denied. */
    onApproval?: Handler<ApprovalHandler, A>;
    /** Decides whether a staged change is applied. */
    onPreview?: Handler<PreviewHandler, P>;
  };

/** Functions that start a client, run one prompt and stop the client. */
export interface Once<O> {
  /** Starts the program, sends the prompt, returns the result of its run and stops the program. */
  run<
    const S = undefined,
    const A extends ApprovalAnswer = ApprovalAnswer,
    const P extends PreviewAnswer = PreviewAnswer,
  >(prompt: string, options?: OnceOptions<O, S, A, P>): Promise<RunResult<OutputOf<S>>>;
  /** Like `run`, but yields every event, with `prompt_result` last. Leaving the loop aborts the run and stops the program. */
  query<
    const S = undefined,
    const A extends ApprovalAnswer = ApprovalAnswer,
    const P extends PreviewAnswer = PreviewAnswer,
  >(prompt: string, options?: OnceOptions<O, S, A, P>): Query<OutputOf<S>>;
}

/** Longer than the five seconds that the program allows running tools. */
const ABORT_GRACE_MS = 10_000;

export function onceWith<O extends object>(create: (options: O) => StartableClient): Once<O> {
  return {
    // The output was validated against the schema that its type is inferred from.
    run: (prompt, options = {} as never) => runOnce(create, prompt, options) as Promise<never>,
    query(prompt, options = {} as never) {
      const stream = new EventStream();
      const follow = (signal: AbortSignal) => runOnce(create, prompt, { ...options, signal }, stream);
      return createQuery(stream, follow, options.signal) as Query<never>; // as above
    },
  };
}

async function runOnce<O extends object>(
  create: (options: O) => StartableClient,
  message: string,
  options: OnceOptions<object>,
  stream?: EventStream,
): Promise<RunResult> {
  const { client: given, signal, timeoutMs, images, outputSchema, ...own } = options;
  const ofPrompt = {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(images && { images }),
    ...(outputSchema !== undefined && { outputSchema }),
  };
  signal?.throwIfAborted();
  if (given) {
    const [other] = Object.keys(own);
    if (other !== undefined) throw new TypeError(`${other} is an option of the client; set it there`);
    return answered(given, message, ofPrompt, stream);
  }
  const client = create(own as O); // options that are not the prompt's belong to the client
  const place = () => ({ sessionId: client.server?.sessionId ?? "" });
  let backstop: ReturnType<typeof setTimeout> | undefined;
  // Stop a program that does not respond to the abort.
  const onAbort = () => {
    backstop = setTimeout(() => void client.stop(), ABORT_GRACE_MS); // stop() never rejects
  };
  try {
    await client.start({ ...(signal && { signal }) }).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
    if (signal?.aborted) return new RunProgress(place).partial("aborted", "abort");
    signal?.addEventListener("abort", onAbort);
    return await answered(client, message, ofPrompt, stream);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    clearTimeout(backstop);
    await client.stop();
  }
}

async function answered(client: RpcCore, message: string, options: RunOptions, stream?: EventStream) {
  if (!stream) return client.promptAndWait(message, options);
  const query = client.query(message, options);
  for await (const event of query) stream.push(event);
  return query.result;
}
