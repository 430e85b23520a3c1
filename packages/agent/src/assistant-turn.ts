import {
  ABORTED_TEXT,
  type AssistantEventStream,
  type AssistantMessage,
  completeContent,
  errorText,
  type Model,
  type ModelContext,
  type ProviderFailure,
  type StreamOptions,
  zeroUsage,
} from "@pintle/ai";
import type { RunContext } from "./run-context.ts";
import { RunFault } from "./run-end.ts";
import type { TurnSetup } from "./types.ts";

export interface Answer {
  message: AssistantMessage;
  failure?: ProviderFailure;
  /** The message leaves the conversation with its turn. */
  isDiscarded?: boolean;
  /** Why the run ends with it, other than a failure of the model. */
  fault?: RunFault;
}

/** Streams one assistant message: message_start, updates, message_end, whatever the provider does. */
export async function streamAnswer(
  run: RunContext,
  setup: TurnSetup,
  context: ModelContext,
  request: Pick<StreamOptions, "toolChoice" | "outputFormat" | "memory">,
): Promise<Answer> {
  const { clock, stream } = run.deps;
  const events = stream(setup.model, context, {
    ...setup.options,
    ...request,
    signal: run.signal,
    now: () => clock.now(),
  });
  const answer = new AnswerReader(run, setup.model);
  try {
    while (!answer.final) {
      const event = events.take();
      if (event) answer.read(event);
      else if (run.signal.aborted) answer.cut("aborted", ABORTED_TEXT, { kind: "aborted" });
      else if (events.isClosed) answer.cut("error", "Provider stream ended before completion", { kind: "truncated" });
      else await untilReadable(events, run.signal);
      const pace = run.deps.ready?.();
      // An abort ends the wait and is handled above, once everything that has arrived is read.
      if (pace && !answer.final && !run.signal.aborted) await run.abortable(pace).catch(() => {});
    }
  } finally {
    events.cancel();
  }
  return endAnswer(run, answer.final, answer.isStarted);
}

/** An error before or around the stream becomes a message like any other. */
export function failAnswer(run: RunContext, model: Model | undefined, error: unknown): Promise<Answer> {
  const text = errorText(error);
  const reason = run.signal.aborted ? "aborted" : "error";
  const message: AssistantMessage = {
    ...blankMessage({ ...nameOf(model), timestamp: run.deps.clock.now() }),
    stopReason: reason,
    errorMessage: run.signal.aborted ? ABORTED_TEXT : text,
  };
  const failure: ProviderFailure = { kind: run.signal.aborted ? "aborted" : "invalid_request" };
  return endAnswer(run, { message, failure, ...(error instanceof RunFault && { fault: error }) }, false);
}

async function endAnswer(run: RunContext, { message, ...rest }: Answer, isStarted: boolean): Promise<Answer> {
  if (!isStarted) run.emit({ type: "message_start", message: blankMessage(message) });
  const final = await run.finalize(message);
  const ended = run.endMessage(final);
  if (ended !== final) return { message: ended, failure: { kind: "invalid_request" } };
  return { message: final, ...rest };
}

/** Follows one stream and can end its message if the stream does not. */
class AnswerReader {
  final: Answer | undefined;
  isStarted = false;
  readonly #run: RunContext;
  readonly #ended = new Set<number>();
  #partial: AssistantMessage;

  constructor(run: RunContext, model: Model) {
    this.#run = run;
    this.#partial = blankMessage({ ...nameOf(model), timestamp: run.deps.clock.now() });
  }

  read(event: NonNullable<ReturnType<AssistantEventStream["take"]>>): void {
    if (event.type === "done") this.final = { message: event.message };
    else if (event.type === "error") this.final = { message: event.error, failure: event.failure };
    else {
      this.#partial = event.partial;
      this.#start();
      if (event.type === "start") return;
      if (event.type === "text_end" || event.type === "thinking_end" || event.type === "toolcall_end") {
        this.#ended.add(event.contentIndex);
      }
      this.#run.emit({ type: "message_update", message: event.partial, assistantMessageEvent: event });
      const objection = this.#run.signal.aborted ? undefined : this.#run.deps.watch?.(event);
      if (!objection) return;
      this.cut("aborted", objection.reason, { kind: "aborted" });
      if (this.final) this.final.isDiscarded = objection.discard;
    }
  }

  cut(reason: "aborted" | "error", errorMessage: string, failure: ProviderFailure): void {
    const content = completeContent(this.#partial.content, (index) => this.#ended.has(index));
    this.final = { message: { ...this.#partial, content, stopReason: reason, errorMessage }, failure };
  }

  #start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.#run.emit({ type: "message_start", message: { ...this.#partial, content: [], usage: zeroUsage() } });
  }
}

type MessageHead = Pick<AssistantMessage, "api" | "provider" | "model" | "timestamp">;

/** A message without any content yet. */
function blankMessage({ api, provider, model, timestamp }: MessageHead): AssistantMessage {
  return { role: "assistant", content: [], api, provider, model, usage: zeroUsage(), stopReason: "stop", timestamp };
}

function nameOf(model: Model | undefined): Omit<MessageHead, "timestamp"> {
  return { api: model?.api ?? "none", provider: model?.provider ?? "none", model: model?.id ?? "none" };
}

/** A provider that ignores the signal must not block the run. */
function untilReadable(events: AssistantEventStream, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      signal.removeEventListener("abort", wake);
      resolve();
    };
    signal.addEventListener("abort", wake);
    events.onReadable(wake);
  });
}
