import { isDeepStrictEqual } from "node:util";
import { type Check, entriesBySession, type Frame, userText } from "./evidence.ts";

/** Entries of a session are one chain: positions without gaps, each entry's parent the one before it, no entry twice. */
export const oneChain: Check = (evidence) => {
  const wrong: string[] = [];
  const bySession = entriesBySession(evidence);
  for (const { sessionId, position } of evidence.sessions) {
    const last = bySession.get(sessionId)?.at(-1)?.position ?? 0;
    if (last !== position) wrong.push(`${sessionId}: its log ends at ${last}, the session says ${position}`);
  }
  for (const [sessionId, entries] of bySession) {
    let parent: string | null = null;
    const seen = new Set<string>();
    for (const [index, { position, entryId, line }] of entries.entries()) {
      const { id, parentId } = JSON.parse(line) as Frame;
      if (position !== index + 1) wrong.push(`${sessionId}: position ${position} where ${index + 1} should be`);
      if (id !== entryId) wrong.push(`${sessionId}: entry ${entryId} holds the line of ${String(id)}`);
      if (parentId !== parent) wrong.push(`${sessionId}: ${entryId} follows ${String(parentId)} instead of ${parent}`);
      if (seen.has(entryId)) wrong.push(`${sessionId}: ${entryId} occurs twice`);
      seen.add(entryId);
      parent = entryId;
    }
  }
  return wrong;
};

/** Stored entries are never changed or removed. */
export const appendOnly: Check = ({ rewrites }) => rewrites.map(({ table, what }) => `${table}: ${what}`);

/**
 * The file on the session's last node matches the log, line by line. On a lost node, the file may contain additional
 * entries, which were never stored and therefore never emitted. Prompts that an engine accepted and died before writing
 * are only at the end of the log, until the session is opened again.
 */
export const filesAreTheLog: Check = (evidence) => {
  const bySession = entriesBySession(evidence);
  return evidence.files.flatMap(({ sessionId, lines, isGivenBack }) => {
    const log = bySession.get(sessionId)?.map(({ line }) => line) ?? [];
    const at = log.findIndex((line, index) => !isSame(line, lines[index]));
    const shared = at < 0 ? log.length : at;
    const [unwritten, unstored] = [log.slice(shared), lines.slice(shared)];
    const stored = new Set(log.map(idOf));
    const isOfDeadEngine =
      unwritten.length > 0 && unwritten.every(isPrompt) && !unstored.some((line) => stored.has(idOf(line)));
    const isMore = unwritten.length === 0 && (unstored.length === 0 || !isGivenBack);
    if (isMore || isOfDeadEngine) return [];
    return [
      `${sessionId}: line ${shared + 1} of its file is ${short(unstored[0])}, the log has ${short(unwritten[0])}`,
    ];
  });
};

function idOf(line: string): unknown {
  return (JSON.parse(line) as Frame).id;
}

function isPrompt(line: string): boolean {
  return userText((JSON.parse(line) as Frame).message) !== undefined;
}

/** Compares entries, however their lines are spelled. */
function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}

function short(line: string | undefined): string {
  return line === undefined ? "absent" : line.slice(0, 120);
}
