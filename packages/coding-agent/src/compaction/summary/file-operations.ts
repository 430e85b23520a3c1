import type { AgentMessage } from "@pintle/agent";
import { cutText, estimateTextTokens, isRecord } from "@pintle/ai";
import type { EntryOf } from "@pintle/storage";
import { facetsOf, namedArguments } from "../../tools/tool-facets.ts";

/** Sorted lists of files. A modified file is not listed among the files that were only read. */
export interface FileSets {
  readFiles: string[];
  modifiedFiles: string[];
}

const MAX_SHOWN = 20;
const MAX_NAME_CHARACTERS = 300;

/** `src/a.ts:10-20` is about `src/a.ts`. */
const LINE_RANGE = /:\d+(?:[-+]\d+)?(?:,\d+(?:[-+]\d+)?)*$/;

/** Returns the files that the calls in these messages touched, plus those from an earlier summary. */
export function collectFiles(messages: Iterable<AgentMessage>, earlier?: EntryOf<"compaction">): FileSets {
  const before = earlier && !(earlier.fromExtension ?? earlier.fromHook) ? readFileSets(earlier.details) : undefined;
  const read = new Set(before?.readFiles);
  const modified = new Set(before?.modifiedFiles);
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      const files = block.type === "toolCall" ? facetsOf(block.name).files : undefined;
      if (block.type !== "toolCall" || !files) continue;
      for (const name of namedFiles(namedArguments(block.name, block.arguments))) {
        if (files === "reads") read.add(name.replace(LINE_RANGE, ""));
        else modified.add(name);
      }
    }
  }
  return { readFiles: [...read].filter((name) => !modified.has(name)).sort(), modifiedFiles: [...modified].sort() };
}

function namedFiles({ path, paths, notebook_path }: Record<string, unknown>): string[] {
  return [path, notebook_path, ...(Array.isArray(paths) ? paths : [paths])].filter(isName);
}

function readFileSets(details: unknown): FileSets {
  const { readFiles, modifiedFiles }: Record<string, unknown> = isRecord(details) ? details : {};
  return { readFiles: names(readFiles), modifiedFiles: names(modifiedFiles) };
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isName) : [];
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Formats the lists as the end of a summary, each with at most half of the given tokens. */
export function withFileBlocks(
  summary: string,
  { readFiles, modifiedFiles }: FileSets,
  tokens = Number.POSITIVE_INFINITY,
): string {
  const blocks = [
    fileBlock("read-files", readFiles, tokens / 2),
    fileBlock("modified-files", modifiedFiles, tokens / 2),
  ];
  return [withoutFileBlocks(summary), ...blocks.filter((block) => block !== "")].join("\n\n");
}

/** Removes the file lists of an earlier summary, which the new ones replace. */
export function withoutFileBlocks(summary: string): string {
  return summary.replace(/<(read-files|modified-files)>[\s\S]*?<\/\1>/g, "").trim();
}

function fileBlock(tag: string, files: readonly string[], tokens: number): string {
  if (files.length === 0) return "";
  const names: string[] = [];
  let used = 0;
  for (const name of files.slice(0, MAX_SHOWN).map(oneLine)) {
    used += estimateTextTokens(name) + 1;
    if (used > tokens) break;
    names.push(name);
  }
  const rest = files.length - names.length;
  return [`<${tag}>`, ...names, ...(rest > 0 ? [`(${rest} more)`] : []), `</${tag}>`].join("\n");
}

/** A model chose the name, so it must not be able to close the block around it. */
function oneLine(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  const plain = name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").replaceAll("<", "‹");
  return cutText(plain, MAX_NAME_CHARACTERS);
}
