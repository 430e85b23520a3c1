import { ProviderError, type ProviderErrorKind } from "../errors.ts";
import { onAbort } from "../foundation/abort.ts";
import { MessageBuilder } from "../message-builder.ts";
import type { StopReason } from "../messages.ts";
import type { Model } from "../model.ts";
import type { ModelContext } from "../protocols/protocol.ts";
import type { StreamModel, StreamOptions } from "../stream.ts";
import { AssistantEventStream } from "../stream-events.ts";
import { toUsage } from "../usage.ts";

/** One step of a scripted answer, in the order the model would stream it. */
export type ScriptStep =
  | { text: string; chunk?: number }
  | { thinking: string; chunk?: number; signature?: string }
  | { call: string; args?: Record<string, unknown> | string; id?: string }
  /** Waits for the promise; an abort meanwhile ends the answer as with a real model. */
  | { wait: Promise<unknown> }
  | { fail: ProviderErrorKind; message?: string; status?: number; retryAfterMs?: number }
  | { stop: Extract<StopReason, "stop" | "length" | "toolUse"> }
  /** Ends the stream without a terminal event, as a broken provider would. */
  | { vanish: true };

export type ScriptedAnswer =
  | readonly ScriptStep[]
  | ((context: ModelContext, options: StreamOptions) => readonly ScriptStep[]);

export interface ScriptedModel {
  model: Model;
  stream: StreamModel;
  /** Every request that the loop sent, in order. */
  requests: { context: ModelContext; options: StreamOptions }[];
}

export const scriptedModelInfo: Model = {
  id: "scripted",
  name: "Scripted",
  api: "scripted",
  provider: "test",
  baseUrl: "scripted",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 8_000,
};

/**
 * A model that answers from a list, one entry per request. After the last entry it fails, so that a test notices extra
 * calls.
 */
export function scriptedModel(answers: readonly ScriptedAnswer[], model: Model = scriptedModelInfo): ScriptedModel {
  const requests: ScriptedModel["requests"] = [];
  let callCount = 0;
  const stream: StreamModel = (requested, context, options = {}) => {
    const answer = answers[requests.length];
    requests.push({ context, options });
    const events = new AssistantEventStream();
    const out = new MessageBuilder(events, requested, { now: options.now ?? Date.now, context });
    if (options.signal?.aborted) {
      out.abort();
      return events;
    }
    const forget = onAbort(options.signal, () => out.abort());
    const steps = typeof answer === "function" ? answer(context, options) : answer;
    // A failing step ends its answer; a script that throws ends the test.
    void play(
      steps ?? [{ fail: "invalid_request", message: "The script has no more answers" }],
      requested,
      { out, events },
      () => {
        callCount += 1;
        return `call_${callCount}`;
      },
    ).finally(forget);
    return events;
  };
  return { model, stream, requests };
}

async function play(
  steps: readonly ScriptStep[],
  model: Model,
  { out, events }: { out: MessageBuilder; events: AssistantEventStream },
  nextId: () => string,
): Promise<void> {
  out.start();
  let sawCall = false;
  for (const step of steps) {
    if (out.isFinished) return;
    if ("wait" in step) await step.wait;
    else if ("fail" in step)
      return out.fail(new ProviderError(step.fail, step.message ?? `scripted ${step.fail}`, step));
    else if ("vanish" in step) return events.end();
    else if ("stop" in step) return finish(step.stop, model, out);
    else if ("call" in step) {
      sawCall = true;
      const index = out.startToolCall({ id: step.id ?? nextId(), name: step.call });
      out.append(index, typeof step.args === "string" ? step.args : JSON.stringify(step.args ?? {}));
      out.end(index);
    } else if ("text" in step) {
      const index = out.startText();
      for (const piece of pieces(step.text, step.chunk)) out.append(index, piece);
      out.end(index);
    } else {
      const index = out.startThinking();
      for (const piece of pieces(step.thinking, step.chunk)) out.append(index, piece);
      if (step.signature) out.sign(index, step.signature);
      out.end(index);
    }
  }
  finish(sawCall ? "toolUse" : "stop", model, out);
}

function finish(reason: "stop" | "length" | "toolUse", model: Model, out: MessageBuilder): void {
  if (out.isFinished) return;
  out.setUsage(toUsage(model, { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 }));
  out.finish(reason);
}

function* pieces(text: string, size = text.length || 1): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
