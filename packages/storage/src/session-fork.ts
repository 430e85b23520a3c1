import type { SessionEntry } from "@pintle/wire";
import { openCalls, unfinishedResult } from "./context/open-calls.ts";
import { createHeader, type SessionEnvironment } from "./file/session-environment.ts";
import { SessionJournal } from "./file/session-journal.ts";

/**
 * Returns the entries of a new session that begins with this path: the path itself, results for calls that were still
 * running, labels of the kept entries from elsewhere in the file, and the name.
 */
export function copyPath(
  environment: SessionEnvironment,
  source: SessionJournal,
  path: readonly SessionEntry[],
  name: string | undefined,
): SessionEntry[] {
  const header = createHeader(environment, { cwd: source.header.cwd });
  const copy = new SessionJournal(environment, { header, entries: path });
  for (const call of openCalls(path)) copy.append("message", { message: unfinishedResult(call, environment.now()) });
  for (const [targetId, { label, timestamp }] of source.log.labels) {
    if (!copy.log.has(targetId) || copy.log.labels.get(targetId)?.label === label) continue;
    copy.append("label", { targetId, label }, { timestamp: Date.parse(timestamp) });
  }
  for (const targetId of [...copy.log.labels.keys()]) {
    if (!source.log.labels.has(targetId)) copy.append("label", { targetId });
  }
  if (name !== undefined && copy.log.name !== name) copy.append("session_info", { name });
  return [...copy.log.all];
}
