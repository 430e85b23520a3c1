import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import { childDirectory, ID_PATTERN } from "../subagents/child-file.ts";

export interface StoredSubagent {
  id: string;
  manager: SessionManager;
}

export interface SubagentReading {
  open(path: string): Promise<SessionManager>;
  report(problem: string): void;
}

/** Maximum size of all files of subagents that one page includes. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Yields the stored subagents of a session, a subagent before those that it started. Each is open until the next is
 * requested. Files that cannot be read, or exceed the limit, are reported and left out.
 */
export async function* storedSubagents(
  sessionFile: string,
  { open, report }: SubagentReading,
): AsyncGenerator<StoredSubagent> {
  const leftOut: string[] = [];
  let bytes = 0;
  for (const { id, path, size } of subagentFiles(sessionFile)) {
    if (bytes + size > MOST_BYTES) {
      leftOut.push(id);
      continue;
    }
    bytes += size;
    let manager: SessionManager;
    try {
      manager = await open(path);
    } catch (error) {
      report(`The subagent ${id} is not in the page: ${errorText(error)}`);
      continue;
    }
    try {
      yield { id, manager };
    } finally {
      manager.close();
    }
  }
  if (leftOut.length > 0) {
    report(`Subagents beyond ${MOST_BYTES / 1024 / 1024} MB are not in the page: ${leftOut.join(", ")}`);
  }
}

interface SubagentFile {
  id: string;
  path: string;
  size: number;
}

/** Oldest first. Links are not followed: they could lead to sessions that are not part of this one. */
function subagentFiles(sessionFile: string): SubagentFile[] {
  if (!sessionFile.endsWith(".jsonl")) return [];
  const directory = childDirectory(sessionFile);
  return entriesOf(directory)
    .flatMap((entry) => {
      const id = entry.name.replace(/\.jsonl$/, "");
      if (!entry.isFile() || id === entry.name || !ID_PATTERN.test(id)) return [];
      const path = join(directory, entry.name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat ? [{ id, path, size: stat.size, bornAt: stat.birthtimeMs }] : [];
    })
    .sort((a, b) => a.bornAt - b.bornAt || (a.id < b.id ? -1 : 1));
}

function entriesOf(directory: string): Dirent[] {
  if (!lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(directory, { withFileTypes: true });
}
