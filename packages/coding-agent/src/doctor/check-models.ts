import { offlineModel } from "@pintle/ai";
import { chooseDefaultModel } from "../config/models/default-model.ts";
import { broken, type Check, info, ok, warning } from "./finding.ts";

/** Names and sources; commands that give a key are not run. */
export const checkKeys: Check = ({ registry }) => {
  const found = registry.providers().flatMap(({ id }) => {
    const source = registry.keySource(id);
    return source === undefined ? [] : [ok(`${id}: ${source}`)];
  });
  return found.length > 0 ? found : [info("none")];
};

export const checkModels: Check = async ({ registry, settings, isOffline }) => {
  const choice = await chooseDefaultModel({
    registry,
    settings: {
      defaultProvider: settings.get("defaultProvider"),
      defaultModel: settings.get("defaultModel"),
      defaultThinkingLevel: settings.get("defaultThinkingLevel"),
      probeLocal: settings.get("models.probeLocal") && !isOffline,
    },
  });
  const usable = registry.getAvailable().filter(({ provider }) => provider !== offlineModel.provider).length;
  const count = info(`${usable} can be used (pintle --list-models)`);
  if ("error" in choice) return [count, broken(choice.error)];
  const { model, notice } = choice;
  const name = `${model.provider}/${model.id}`;
  return [count, notice === undefined ? ok(`default: ${name}`) : warning(`default: ${name}. ${notice}`)];
};
