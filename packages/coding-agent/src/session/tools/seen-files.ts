import { basename } from "node:path";
import type { ToolCall } from "@pintle/ai";
import { canonicalPath } from "@pintle/foundation";
import { isEntry } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { resolveToolPath } from "../../tools/shared/paths.ts";
import { facetsOf, namedArguments } from "../../tools/tool-facets.ts";

/**
 * Returns whether a call on the current branch has shown or written this file. Reads the history itself, which also contains calls
 * from before a resume or a compaction.
 */
export function hasSeenFile(path: string, history: readonly SessionEntry[], cwd: string): boolean {
  const named = new Map<string, string>();
  const seen = new Set<string>();
  for (const entry of history) {
    if (!isEntry(entry, "message")) continue;
    const { message } = entry;
    if (message.role === "assistant" && Array.isArray(message.content)) {
      for (const block of message.content) {
        const name = block.type === "toolCall" && facetsOf(block.name).files ? fileOf(block) : undefined;
        if (block.type === "toolCall" && name !== undefined) named.set(block.id, name);
      }
    } else if (message.role === "toolResult" && !message.isError) {
      const name = named.get(message.toolCallId);
      if (name !== undefined) seen.add(name);
    }
  }
  // Check the same name first: it is nearly always the answer and needs one disk access.
  const names = [...seen].sort((a, b) => Number(isNamesake(b, path)) - Number(isNamesake(a, path)));
  return names.some((name) => pathOf(name, cwd) === path);
}

function fileOf({ name, arguments: args }: ToolCall): string | undefined {
  const { path } = namedArguments(name, args);
  return typeof path === "string" ? path : undefined;
}

function isNamesake(name: string, path: string): boolean {
  return basename(name) === basename(path);
}

/** Resolves a path that a model has named. Returns undefined if it is not a valid path. */
function pathOf(name: string, cwd: string): string | undefined {
  try {
    return canonicalPath(resolveToolPath(name, cwd));
  } catch {
    return undefined;
  }
}
