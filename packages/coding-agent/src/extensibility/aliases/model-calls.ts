import { type AssistantMessage, type Model, type ModelContext, type StreamOptions, streamModel } from "@pintle/ai";
import { AuthStorage } from "../../config/keys/auth-storage.ts";
import { ModelRegistry } from "../../config/models/model-registry.ts";
import type { CallOptions } from "../api/session-types.ts";
import { MessageEventStream } from "./message-event-stream.ts";

let registry: ModelRegistry | undefined;

/** Returns the models that pintle knows by itself, with the keys from the environment. */
export function knownModels(): ModelRegistry {
  registry ??= ModelRegistry.inMemory(AuthStorage.inMemory({ env: process.env }));
  return registry;
}

/** Calls a model outside the conversation. Without a key in the options, the key comes from `registry`. */
export function stream(
  model: Model,
  context: ModelContext,
  options: CallOptions = {},
  registry: Pick<ModelRegistry, "requestAuth"> = knownModels(),
): MessageEventStream {
  const target = new MessageEventStream();
  // A model stream never rejects: a failure is its last event.
  void (async () => {
    const { reasoning, apiKey, headers, ...rest } = options;
    const auth = apiKey === undefined ? await authOf(model, registry) : { apiKey };
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

/** Returns the whole answer; a failure is in its `stopReason` and `errorMessage`. */
export function complete(model: Model, context: ModelContext, options?: CallOptions): Promise<AssistantMessage> {
  return stream(model, context, options).result();
}

/** Leaves a missing key for the provider to report, because some servers need none. */
async function authOf(model: Model, registry: Pick<ModelRegistry, "requestAuth">): Promise<StreamOptions> {
  try {
    return await registry.requestAuth(model);
  } catch {
    return {};
  }
}
