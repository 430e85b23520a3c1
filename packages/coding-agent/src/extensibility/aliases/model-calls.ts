import {
  type AssistantMessage,
  type Model,
  type ModelContext,
  type StreamOptions,
  streamModel,
  type ThinkingLevel,
} from "@pintle/ai";
import { AuthStorage } from "../../config/keys/auth-storage.ts";
import { ModelRegistry } from "../../config/models/model-registry.ts";
import { MessageEventStream } from "./message-event-stream.ts";

/** A key or headers that are undefined count as not given: authors pass on what `getApiKeyAndHeaders` has found. */
export type CallOptions = Omit<StreamOptions, "apiKey" | "headers"> & {
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  reasoning?: ThinkingLevel;
};

let registry: ModelRegistry | undefined;

/** The models pintle knows by itself, with the keys in the environment. */
export function knownModels(): ModelRegistry {
  registry ??= ModelRegistry.inMemory(AuthStorage.inMemory({ env: process.env }));
  return registry;
}

/** Asks a model, beside whatever a session does. */
export function stream(model: Model, context: ModelContext, options: CallOptions = {}): MessageEventStream {
  const target = new MessageEventStream();
  // A stream of models does not reject: a failure is its last event.
  void (async () => {
    const { reasoning, apiKey, headers, ...rest } = options;
    const auth = apiKey === undefined ? await authOf(model) : { apiKey };
    const source = streamModel(model, context, {
      ...auth,
      ...rest,
      ...(headers && { headers }),
      ...(reasoning !== undefined && { thinkingLevel: reasoning }),
    });
    for await (const event of source) target.push(event);
    target.end();
  })();
  return target;
}

/** The whole answer; a failure is its `stopReason` and `errorMessage`. */
export function complete(model: Model, context: ModelContext, options?: CallOptions): Promise<AssistantMessage> {
  return stream(model, context, options).result();
}

/** A missing key is the provider's to complain about: some servers need none. */
async function authOf(model: Model): Promise<StreamOptions> {
  try {
    return await knownModels().requestAuth(model);
  } catch {
    return {};
  }
}
