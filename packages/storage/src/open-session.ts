import { type Disk, errorCode, isSystemError } from "@pintle/foundation";
import type { SessionEntry } from "@pintle/wire";
import { lastCompaction } from "./context/session-context.ts";
import { CURRENT_VERSION, isEntry, type SessionHeader } from "./entries/entries.ts";
import { migrate } from "./entries/migrations.ts";
import { type RepairedTree, repairTree } from "./entries/tree-repair.ts";
import { createHeader, type SessionEnvironment } from "./file/session-environment.ts";
import type { Lock } from "./file/session-file.ts";
import { cannotOpen, type LoadedFile, loadSessionFile, sessionNotFound } from "./file/session-loader.ts";
import { SessionManager } from "./session-manager.ts";

export interface OpenRequest {
  /** Absolute. */
  path: string;
  /** Working directory, if the file does not state one. */
  cwd: string;
  /** `read` needs no lock, and refuses to append. */
  access: "write" | "read";
}

/** Opens, locks and loads a session. A failure leaves the file unchanged. */
export async function openSession(environment: SessionEnvironment, request: OpenRequest): Promise<SessionManager> {
  const target = followLinks(environment.disk, request.path);
  const lock = request.access === "write" ? lockIfPossible(environment, target) : undefined;
  try {
    const loaded = await loadSessionFile(environment.disk, target, request.path);
    return toManager(environment, request, { target, lock, loaded });
  } catch (error) {
    lock?.release();
    throw isSystemError(error) ? cannotOpen(request.path, errorCode(error) ?? error.message) : error;
  }
}

/** The last two mean that no file can have such a name. */
const NO_SUCH_FILE: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ENAMETOOLONG",
  "ERR_INVALID_ARG_VALUE",
]);

/** Resolves links, so that a file has one lock under every name. */
function followLinks(disk: Disk, path: string): string {
  try {
    return disk.realpathSync(path);
  } catch (error) {
    if (NO_SUCH_FILE.has(errorCode(error))) throw sessionNotFound(path);
    if (isSystemError(error)) throw cannotOpen(path, errorCode(error) ?? error.message);
    throw error;
  }
}

/** Without write access no lock is needed to read; the first append reports the problem. */
function lockIfPossible(environment: SessionEnvironment, target: string): Lock | undefined {
  try {
    return environment.lock(target);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

interface Found {
  target: string;
  lock: Lock | undefined;
  loaded: LoadedFile;
}

function toManager(
  environment: SessionEnvironment,
  request: OpenRequest,
  { target, lock, loaded }: Found,
): SessionManager {
  const { header, entries, isOutdated } = migrate(
    loaded.header ?? createHeader(environment, { cwd: request.cwd }),
    loaded.entries,
  );
  const repaired = repairTree(entries);
  const readOnlyReason = reasonNotToWrite(request, header);
  if (readOnlyReason !== undefined) lock?.release();
  const title = loaded.titleSlot?.title;
  const manager = new SessionManager(environment, {
    header,
    entries: repaired.entries,
    file: {
      path: request.path,
      existing: {
        target,
        identity: { dev: loaded.stats.dev, ino: loaded.stats.ino, size: loaded.size },
        lock: readOnlyReason === undefined ? lock : undefined,
        titleSlot: loaded.titleSlot?.bytes,
        endsWithLineFeed: loaded.endsWithLineFeed,
        isDamaged: loaded.damagedLines.length > 0,
        isOutdated,
        isSession: loaded.header !== undefined,
      },
    },
    hasBlobs: loaded.hasBlobs,
    ...(title !== undefined && { title }),
    ...(readOnlyReason !== undefined && { readOnlyReason }),
  });
  const damage = describeDamage(loaded);
  if (damage) {
    const message = `Session file ${request.path}: ${damage.text}.`;
    environment.notify({
      level: "warning",
      message,
      code: "damaged_session",
      count: damage.lines.length,
      lines: damage.lines,
    });
  }
  for (const problem of describeProblems(repaired, manager)) {
    environment.notify({ level: "warning", message: `Session file ${request.path}: ${problem}.` });
  }
  return manager;
}

function reasonNotToWrite(
  { path, access }: OpenRequest,
  { version = CURRENT_VERSION }: SessionHeader,
): string | undefined {
  if (version > CURRENT_VERSION) {
    return `Session "${path}" has version ${version}; this program writes version ${CURRENT_VERSION} and can only read it`;
  }
  return access === "read" ? `Session "${path}" is open for reading only` : undefined;
}

/** How many line numbers a notice names. */
const MAX_NAMED_LINES = 50;

function describeDamage({ damagedLines, misshapenLines }: LoadedFile): { text: string; lines: number[] } | undefined {
  const lines = [...damagedLines, ...misshapenLines].sort((a, b) => a - b);
  if (lines.length === 0) return undefined;
  const named = lines.slice(0, MAX_NAMED_LINES).join(", ");
  const more = lines.length > MAX_NAMED_LINES ? ` and ${lines.length - MAX_NAMED_LINES} more` : "";
  const text = `${lines.length} line(s) could not be read completely and stay in the file: ${named}${more}`;
  return { text, lines };
}

function describeProblems(repaired: RepairedTree, manager: SessionManager): string[] {
  const problems: [number, string][] = [
    [repaired.reattached, "named a parent that does not exist and were attached to the preceding entry"],
    [repaired.renamed, "had no id and were given one"],
  ];
  const texts = problems.filter(([count]) => count > 0).map(([count, what]) => `${count} line(s) ${what}`);
  const isForeign = (entry: SessionEntry) => isEntry(entry, "compaction") && entry.method === "snapcompact";
  if (repaired.entries.some(isForeign) && lastCompaction(manager.path())?.method === "snapcompact") {
    texts.push("its history is kept as images that this program does not read; the text of the summary is used");
  }
  return texts;
}
