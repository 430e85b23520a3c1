import { errorText, networkCause, offlineModel } from "@pintle/ai";
import { visiblePath } from "@pintle/foundation";
import { chooseDefaultModel } from "../config/models/default-model.ts";
import { broken, type Check, type Finding, info, ok, warning } from "./finding.ts";

/** Reports names and sources of keys. Does not run commands that return a key. */
export const checkKeys: Check = ({ registry }) => {
  const found = registry.providers().flatMap(({ id }) => {
    const source = registry.keySource(id);
    return source === undefined ? [] : [ok(`${id}: ${source}`)];
  });
  return found.length > 0 ? found : [info("none")];
};

const ANSWER_MS = 3_000;

/** Checks whether each server in `models.json` answers at all, without a key. */
export const checkModelServers: Check = async ({ registry, isOffline, ending }) => {
  const servers = registry.providers().flatMap(({ id, config }) => (config?.baseUrl ? [[id, config.baseUrl]] : []));
  if (servers.length === 0) return [info("none is configured")];
  if (isOffline) return servers.map(([id, url]) => info(`${id}: ${shownAddress(url ?? "")}, not asked (--offline)`));
  return Promise.all(servers.map(([id = "", url = ""]) => askServer(id, url, ending)));
};

async function askServer(id: string, baseUrl: string, ending: AbortSignal): Promise<Finding> {
  const server = `${id}: ${shownAddress(baseUrl)}`;
  const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ending]);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, { signal, redirect: "manual" });
    await response.body?.cancel();
    const text = `${server} answers (HTTP ${response.status})`;
    return response.status >= 500 ? warning(text) : ok(text);
  } catch (error) {
    const why = signal.aborted ? `within ${ANSWER_MS / 1000} s` : `(${networkCause(error) ?? errorText(error)})`;
    return broken(`${server} does not answer ${why}`);
  }
}

/** Returns an address without its password. */
function shownAddress(address: string): string {
  try {
    const { protocol, host, pathname } = new URL(address);
    return visiblePath(`${protocol}//${host}${pathname}`);
  } catch {
    return "an invalid address";
  }
}

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
