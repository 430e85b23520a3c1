import { basename } from "node:path";
import type { ToolCall } from "@pintle/ai";
import { canonicalPath } from "@pintle/foundation";
import { isEntry } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { resolveToolPath } from "../../tools/shared/paths.ts";
import { facetsOf, namedArguments } from "../../tools/tool-facets.ts";

/**
 * Whether a call on the way to here has shown or written this file. Asked of the history itself, which also knows what was done
 * before a resume, on this branch only, and before a compaction.
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
  // The same name first: that is nearly always the answer, and asks the disk once.
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

/** What a model has named may be no path at all. */
function pathOf(name: string, cwd: string): string | undefined {
  try {
    return canonicalPath(resolveToolPath(name, cwd));
  } catch {
    return undefined;
  }
}
