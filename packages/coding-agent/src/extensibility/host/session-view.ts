import { dirname } from "node:path";
import type { AnyEntry, SessionManager } from "@pintle/storage";
import { standIn } from "../aliases/unavailable.ts";
import type { ReadonlySessionManager } from "../api/session-types.ts";

/**
 * Exposes the open conversation under the names that users' modules expect. Lists are copies, because modules reverse and sort
 * them.
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
    getSessionDir: () => dirname(manager().sessionFile ?? ""),
    getTree: () => manager().tree(),
    buildContextEntries() {
      const { messages } = manager().buildContext();
      return messages.flatMap((message) => entry(manager().entryIdOf(message) ?? "") ?? []);
    },
    buildSessionProjection: standIn("buildSessionProjection"),
    getSessionId: () => manager().sessionId,
    getSessionName: () => manager().name,
    getCwd: cwd,
  };
}
