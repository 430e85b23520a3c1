import { toBridgeError } from "../bridge/bridge-errors.ts";
import { ProviderError } from "../errors.ts";
import { untilAborted } from "../foundation/abort.ts";
import type { Model } from "../model.ts";
import type { ModelContext } from "../protocols/protocol.ts";
import type { AnswerTarget, StreamOptions } from "../stream.ts";
import { FairTurn } from "../transport/fair-turn.ts";
import { DEFAULT_IDLE_TIMEOUT_MS, IdleWatchdog, stallError } from "../transport/watchdog.ts";
import { ForeignDecoder } from "./foreign-decoder.ts";
import type { ForeignStream, ForeignStreamOptions } from "./foreign-stream.ts";

interface Call {
  model: Model;
  context: ModelContext;
  options: StreamOptions;
}

/**
 * Makes one call through a stream function from a user's module. The answer always ends, whatever the function does.
 */
export async function answerOverForeign(
  foreign: ForeignStream,
  { model, context, options }: Call,
  { stream, out, connection }: AnswerTarget,
): Promise<void> {
  if (connection.signal.aborted) return; // The signal fired while the module was loading: nothing waits for the answer.
  const { idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
  const watchdog = new IdleWatchdog(idleTimeoutMs, () => {
    out.fail(stallError(idleTimeoutMs));
    connection.abort(new Error("stream stall"));
  });
  // A function that ignores the signal must not block anything.
  const orGone = <T>(work: T | PromiseLike<T>) => untilAborted(work, connection.signal);
  const decoder = new ForeignDecoder(model, out);
  const turn = new FairTurn();
  let events: AsyncIterator<unknown> | undefined;
  try {
    // Pass a copy: the function must not change the conversation.
    const own = { ...context, messages: [...context.messages], ...(context.tools && { tools: [...context.tools] }) };
    const answer = await orGone(foreign({ ...model }, own, toForeignOptions(options, connection.signal)));
    events = iteratorOf(answer);
    while (!out.isFinished) {
      watchdog.wait(idleTimeoutMs);
      const { done, value } = await orGone(events.next());
      if (done) break;
      watchdog.pause();
      watchdog.sawEvent();
      decoder.event(value);
      await stream.drained();
      await turn.pass();
    }
    if (!out.isFinished) decoder.end(await orGone(resultOf(answer)));
  } catch (error) {
    throw await toBridgeError(error);
  } finally {
    watchdog.stop();
    void endOf(events).catch(() => {}); // It may never settle, and does not have to.
  }
}

function toForeignOptions(options: StreamOptions, signal: AbortSignal): ForeignStreamOptions {
  const {
    thinkingLevel = "off",
    signal: _,
    now: _now,
    providerPackage: _package,
    foreign: _foreign,
    ...rest
  } = options;
  return { ...rest, ...(thinkingLevel !== "off" && { reasoning: thinkingLevel }), signal };
}

function iteratorOf(answer: unknown): AsyncIterator<unknown> {
  const iterate = (answer as Partial<AsyncIterable<unknown>> | undefined | null)?.[Symbol.asyncIterator];
  if (typeof iterate !== "function")
    throw new ProviderError("protocol", "The stream function of the provider did not return an event stream");
  return iterate.call(answer);
}

/** pi's streams may provide the whole message after their last event. */
async function resultOf(answer: unknown): Promise<unknown> {
  const { result } = answer as { result?: unknown };
  try {
    return typeof result === "function" ? await result.call(answer) : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects instead of throwing synchronously. */
async function endOf(events: AsyncIterator<unknown> | undefined): Promise<void> {
  await events?.return?.();
}
