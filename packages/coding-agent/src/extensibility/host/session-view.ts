import { errorText, type Model } from "@pintle/ai";
import type { ModelRegistry } from "../../config/models/model-registry.ts";
import type { AnyEntry } from "../../storage/entries/entries.ts";
import type { SessionManager } from "../../storage/session-manager.ts";
import type { ModelRegistryView, ReadonlySessionManager } from "../api/session-types.ts";

/**
 * The conversation that is open when it is asked, under the names that users' modules know. Lists are copies: modules reverse
 * and sort what they get.
 */
export function viewSession(manager: () => SessionManager, cwd: () => string): ReadonlySessionManager {
  const entries = () => [...manager().entries()] as AnyEntry[];
  const entry = (id: string) => manager().entry(id) as AnyEntry | undefined;
  return {
    getEntries: entries,
    getBranch: (fromId) => [...manager().path(fromId)] as AnyEntry[],
    getLeafId: () => manager().leafId,
    getLeafEntry() {
      const { leafId } = manager();
      return leafId === null ? undefined : entry(leafId);
    },
    getEntry: entry,
    getChildren: (parentId) => entries().filter((child) => child.parentId === parentId),
    getLabel: (id) => manager().labels.get(id)?.label,
    getHeader: () => manager().header,
    getSessionFile: () => manager().sessionFile,
    getSessionId: () => manager().sessionId,
    getSessionName: () => manager().name,
    getCwd: cwd,
  };
}

export function viewModels(registry: ModelRegistry): ModelRegistryView {
  return {
    find: (provider, id) => registry.find(provider, id),
    getAll: () => registry.getAll(),
    getAvailable: () => registry.getAvailable(),
    getApiKey: async (model) => (await registry.requestAuth(model)).apiKey,
    getApiKeyAndHeaders: (model) => authOf(registry, model),
    hasConfiguredAuth: (model) => registry.hasAuth(model),
  };
}

async function authOf(registry: ModelRegistry, model: Model) {
  try {
    const { apiKey, headers } = await registry.requestAuth(model);
    return { ok: true, ...(apiKey !== undefined && { apiKey }), ...(headers && { headers }) };
  } catch (error) {
    return { ok: false, error: errorText(error) };
  }
}
