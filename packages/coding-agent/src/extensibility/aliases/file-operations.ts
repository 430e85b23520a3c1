import { dirname } from "node:path";
import type { ToolResult } from "@pintle/agent";
import { applyEdits } from "../../tools/edit/apply-edits.ts";
import { decodeFile } from "../../tools/edit/file-text.ts";
import type { EditArguments } from "../../tools/edit.ts";
import type { ReadArguments } from "../../tools/read.ts";
import { withFileMutationQueue } from "../../tools/shared/file-mutations.ts";
import { numberedDiff } from "../../tools/shared/numbered-diff.ts";
import { displayPath, resolveToolPath } from "../../tools/shared/paths.ts";
import type { WriteArguments } from "../../tools/write.ts";
import { truncateHead } from "./truncation.ts";

// Runs read, write and edit on files that only an extension can reach, such as those on another machine or in a container.

export interface FileOperations {
  readFile?(path: string): Promise<Uint8Array>;
  writeFile?(path: string, content: string): Promise<void>;
  access?(path: string): Promise<unknown>;
  mkdir?(path: string): Promise<unknown>;
  detectImageMimeType?(path: string): Promise<string | null | undefined>;
}

export async function readOver(
  { path, offset = 1, limit }: ReadArguments,
  cwd: string,
  operations: FileOperations,
): Promise<ToolResult> {
  const file = resolveToolPath(path, cwd);
  await operations.access?.(file);
  const bytes = await required(operations, "readFile")(file);
  const mimeType = await operations.detectImageMimeType?.(file);
  if (mimeType) {
    return { content: [{ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType }], details: {} };
  }
  const lines = Buffer.from(bytes).toString("utf8").split("\n");
  const first = Math.max(1, offset) - 1;
  if (first > 0 && first >= lines.length) throw new Error(`${path} has ${lines.length} lines`);
  const asked = lines.slice(first, limit === undefined ? undefined : first + limit);
  const shown = truncateHead(asked.join("\n"));
  const next = first + (shown.truncated ? shown.outputLines : asked.length) + 1;
  const note = next <= lines.length ? `\n\n[${lines.length - next + 1} more lines; continue with offset=${next}]` : "";
  return {
    content: [{ type: "text", text: shown.content + note }],
    details: shown.truncated ? { truncation: shown } : {},
  };
}

export async function writeOver(
  { path, content }: WriteArguments,
  cwd: string,
  operations: FileOperations,
): Promise<ToolResult> {
  const file = resolveToolPath(path, cwd);
  await withFileMutationQueue(file, async () => {
    await operations.mkdir?.(dirname(file));
    await required(operations, "writeFile")(file, content);
  });
  const bytes = Buffer.byteLength(content);
  return { content: [{ type: "text", text: `Wrote ${bytes} bytes to ${path}` }], details: { bytes } };
}

export async function editOver(
  { path, edits }: EditArguments,
  cwd: string,
  operations: FileOperations,
): Promise<ToolResult> {
  const file = resolveToolPath(path, cwd);
  const shownPath = displayPath(file, cwd);
  const details = await withFileMutationQueue(file, async () => {
    await operations.access?.(file);
    const decoded = decodeFile(Buffer.from(await required(operations, "readFile")(file)));
    if (!decoded) throw new Error(`${shownPath} is a binary file and cannot be edited as text.`);
    const edited = applyEdits(decoded, edits, shownPath);
    await required(operations, "writeFile")(file, edited.text);
    return numberedDiff(edited.before, edited.changes, decoded.toShown);
  });
  return { content: [{ type: "text", text: `Edited ${shownPath}` }], details };
}

function required<K extends "readFile" | "writeFile">(operations: FileOperations, name: K) {
  const operation = operations[name];
  if (typeof operation !== "function") throw new Error(`The operations have no ${name}`);
  return operation.bind(operations) as NonNullable<FileOperations[K]>;
}
