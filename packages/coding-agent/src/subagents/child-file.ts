import { open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { AgentMessage } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { isSystemError } from "@pintle/foundation";
import { SessionError } from "@pintle/storage";
import type { Params, Result } from "@pintle/wire";

/** The form of subagent ids, which are file names. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,48}$/;

export interface ChildFiles {
  /** The file of a subagent that this process has started. */
  fileOf(id: string): string | undefined;
  /** The file of the session that owns them. */
  root: string | undefined;
}

/** The directory with the sessions of a session's subagents. */
export function childDirectory(rootFile: string): string {
  return rootFile.replace(/\.jsonl$/, "");
}

/** The maximum size of one response; a longer line is returned whole. */
const MAX_BYTES = 1024 * 1024;

/** Reads whole lines of a subagent's session file, starting at a byte offset. Throws SessionError. */
export async function readChildFile(
  query: Params<"get_subagent_messages">,
  files: ChildFiles,
): Promise<Result<"get_subagent_messages">> {
  const { subagentId, fromByte = 0 } = query;
  const path = pathOf(query, files);
  const handle = await open(path).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw unavailable(subagentId ?? path);
  });
  try {
    const { size } = await handle.stat();
    const reset = fromByte > size;
    const start = reset ? 0 : fromByte;
    let bytes = Buffer.alloc(0);
    let lastLine = 0;
    for (let limit = MAX_BYTES; start + bytes.length < size && lastLine === 0; limit *= 2) {
      const buffer = Buffer.allocUnsafe(Math.min(limit, size - start));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      if (bytesRead <= bytes.length) break;
      bytes = buffer.subarray(0, bytesRead);
      lastLine = bytes.lastIndexOf(0x0a) + 1;
    }
    const entries = bytes.subarray(0, lastLine).toString().split("\n").flatMap(parseLine);
    return {
      sessionFile: path,
      fromByte: start,
      nextByte: start + lastLine,
      reset,
      entries,
      messages: entries.flatMap((entry) => (entry.type === "message" ? [entry.message as AgentMessage] : [])),
    };
  } finally {
    await handle.close();
  }
}

/** Only the sessions of this session's subagents can be read. */
function pathOf({ subagentId, sessionFile }: Params<"get_subagent_messages">, { fileOf, root }: ChildFiles): string {
  if (subagentId === undefined && sessionFile === undefined) {
    throw new SessionError("invalid_request", "get_subagent_messages requires subagentId or sessionFile");
  }
  const directory = root === undefined ? undefined : childDirectory(root);
  if (subagentId !== undefined) {
    const known = fileOf(subagentId);
    if (known !== undefined) return known;
    if (directory === undefined || !ID_PATTERN.test(subagentId)) throw unavailable(subagentId);
    return join(directory, `${subagentId}.jsonl`);
  }
  const path = resolve(sessionFile ?? "");
  const id = basename(path, ".jsonl");
  const isOwn = directory !== undefined && dirname(path) === resolve(directory) && path.endsWith(".jsonl");
  if (!isOwn || !ID_PATTERN.test(id)) throw new SessionError("not_found", "Unknown subagent session file");
  return path;
}

function unavailable(id: string): SessionError {
  return new SessionError("not_found", `Unknown subagent or session file unavailable: ${id}`);
}

function parseLine(line: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? [value] : [];
  } catch {
    return []; // including a line that is still being written
  }
}
