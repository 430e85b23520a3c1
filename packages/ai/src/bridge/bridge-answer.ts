import { ProviderError } from "../errors.ts";
import { onAbort } from "../foundation/abort.ts";
import type { Model } from "../model.ts";
import type { ModelContext } from "../protocols/protocol.ts";
import type { AnswerTarget, StreamOptions } from "../stream.ts";
import { DEFAULT_IDLE_TIMEOUT_MS, IdleWatchdog, stallError } from "../transport/watchdog.ts";
import { toCallOptions } from "./bridge-call.ts";
import { BridgeDecoder } from "./bridge-decoder.ts";
import { toBridgeError } from "./bridge-errors.ts";
import { loadLanguageModel } from "./language-model.ts";

interface Call {
  model: Model;
  context: ModelContext;
  options: StreamOptions;
}

/**
 * Makes one call through a provider package that the user installed. The package sends the request; this reads its
 * stream parts.
 */
export async function answerOverBridge({ model, context, options }: Call, target: AnswerTarget): Promise<void> {
  const { providerPackage, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
  if (!providerPackage)
    throw new ProviderError("invalid_request", `The provider ${model.provider} names no AI SDK package`);
  const { connection, out } = target;
  const watchdog = new IdleWatchdog(idleTimeoutMs, () => {
    out.fail(stallError(idleTimeoutMs));
    connection.abort(new Error("stream stall"));
  });
  try {
    const languageModel = await loadLanguageModel(providerPackage, model, options);
    const { stream } = await languageModel.doStream({
      ...toCallOptions(model, languageModel, context, options),
      abortSignal: connection.signal,
    });
    await readParts(stream, new BridgeDecoder(model, languageModel, out), { ...target, watchdog, idleTimeoutMs });
  } catch (error) {
    throw await toBridgeError(error);
  } finally {
    watchdog.stop();
  }
}

interface Reading extends AnswerTarget {
  watchdog: IdleWatchdog;
  idleTimeoutMs: number;
}

async function readParts(
  parts: ReadableStream<unknown>,
  decoder: BridgeDecoder,
  { stream, out, connection, watchdog, idleTimeoutMs }: Reading,
): Promise<void> {
  const reader = parts.getReader();
  const cancel = () => void reader.cancel().catch(() => {}); // A package may ignore the signal it was given.
  const forget = onAbort(connection.signal, cancel);
  try {
    while (!out.isFinished) {
      watchdog.wait(idleTimeoutMs);
      const { done, value } = await reader.read();
      watchdog.pause();
      if (done) {
        decoder.end();
        return;
      }
      watchdog.sawEvent();
      decoder.part(value);
      await stream.drained();
    }
  } finally {
    forget();
    cancel();
  }
}
