import { offlineModel } from "@pintle/ai";
import type { AuthStorage } from "../config/keys/auth-storage.ts";
import { chooseDefaultModel, type DefaultModel, type DefaultModelInput } from "../config/models/default-model.ts";
import { resolveModelScope } from "../config/models/model-pattern.ts";
import type { ModelRegistry } from "../config/models/model-registry.ts";
import type { Settings } from "../config/settings/settings.ts";
import { StartUpError } from "../config/start-up-error.ts";
import type { ScopedModel } from "../session/models/model-state.ts";
import type { CreateAgentSessionOptions } from "./options.ts";

type SelectModelParts = Pick<DefaultModelInput, "stored" | "recorded"> & {
  registry: ModelRegistry;
  auth: AuthStorage;
  settings: Settings;
};

/** Chooses the initial model of a session, and passes the key of the options to its provider. Throws StartUpError. */
export async function selectModel(
  { flags, apiKey, stream, record, isUnattended = false }: CreateAgentSessionOptions,
  { registry, auth, settings, ...given }: SelectModelParts,
): Promise<DefaultModel> {
  const choice = await chooseDefaultModel({
    ...given,
    registry,
    flags,
    hasGivenKey: apiKey !== undefined || stream !== undefined,
    isUnattended,
    settings: {
      defaultProvider: settings.get("defaultProvider"),
      defaultModel: settings.get("defaultModel"),
      defaultThinkingLevel: settings.get("defaultThinkingLevel"),
      probeLocal: settings.get("models.probeLocal"),
    },
  });
  if ("error" in choice) throw new StartUpError(choice.error);
  const isOffline = choice.model.provider === offlineModel.provider;
  // Nothing would be recorded, because the offline model calls no provider.
  if (record !== undefined && stream === undefined && isOffline) {
    throw new StartUpError(
      "--record stores exchanges with a provider, and the offline model uses none: choose another model with --model",
    );
  }
  if (apiKey !== undefined) {
    const isNamed = flags?.model !== undefined || flags?.provider !== undefined;
    if (!isNamed && isOffline) {
      throw new StartUpError("--api-key needs a provider: name one with --provider or --model");
    }
    auth.setRuntimeApiKey(choice.model.provider, apiKey);
  }
  return choice;
}

/** Resolves the patterns of models to cycle through; problems are warnings. */
export function modelScope(
  registry: ModelRegistry,
  patterns: readonly string[],
  report: (problem: string) => void,
): ScopedModel[] {
  if (patterns.length === 0) return [];
  const { choices, warnings } = resolveModelScope(patterns, { models: registry.getAvailable() });
  warnings.forEach(report);
  return choices;
}
