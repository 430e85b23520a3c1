import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { canonicalPath, countLines, fileError, isSystemError } from "@pintle/foundation";
import type { HostCall } from "./host-workplace.ts";
import { withFileMutationQueue } from "./shared/file-mutations.ts";
import { readVersion, replaceApproved } from "./shared/file-version.ts";
import { numberedDiff } from "./shared/numbered-diff.ts";
import { displayPath, resolveToolPath } from "./shared/paths.ts";
import { writableTarget } from "./shared/protected-paths.ts";
import type { ToolContext } from "./tool-context.ts";
import type { WriteArguments, WriteDetails } from "./write.ts";

export async function execute(
  { path, content }: WriteArguments,
  { id, signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<WriteDetails>> {
  const uris = context.workplace?.().uris;
  if (uris?.resolves(path)) {
    context.approved?.require(id, path, path);
    await uris.write(path, content, { id, signal });
    const bytes = Buffer.byteLength(content);
    return {
      content: [{ type: "text", text: `Wrote ${bytes} bytes to ${path}.` }],
      details: { bytes, created: false },
    };
  }
  const absolutePath = resolveToolPath(path, context.cwd());
  const shownPath = displayPath(absolutePath, context.cwd());
  if (/[\\/]$/.test(path)) throw new Error(`${path} is a directory; write needs the path of a file.`);
  try {
    const { details, notice } = await withFileMutationQueue(absolutePath, () => {
      const target = writableTarget(absolutePath, context.home, shownPath);
      context.approved?.require(id, target, shownPath);
      return writeFile({ target, shownPath, content }, { id, signal }, context);
    });
    const lines = [resultText(shownPath, content, details), ...(notice === undefined ? [] : [notice])];
    return { content: [{ type: "text", text: lines.join("\n") }], details };
  } catch (error) {
    throw fileError("write", shownPath, error);
  }
}

export function preview({ path, content }: WriteArguments, context: ToolContext): Promise<string | undefined> {
  if (context.workplace?.().uris?.resolves(path)) return diffFrom(Buffer.alloc(0), content);
  return diffToNewContent(canonicalPath(resolveToolPath(path, context.cwd())), content);
}

interface WriteTask {
  /** The path with links resolved. */
  target: string;
  shownPath: string;
  content: string;
}

async function writeFile(
  { target, shownPath, content }: WriteTask,
  call: HostCall,
  {
    hasSeen,
    workplace,
    approved,
    beforeWrite,
  }: Pick<ToolContext, "hasSeen" | "workplace" | "approved" | "beforeWrite">,
): Promise<{ details: WriteDetails; notice: string | undefined }> {
  const { signal } = call;
  signal.throwIfAborted();
  const old = await readOld(target);
  const diff = await diffFrom(old, content);
  signal.throwIfAborted();
  approved?.requireUnchanged(call.id, target, shownPath);
  beforeWrite?.(target, call.id);
  if (await workplace?.().files?.write(target, content, call)) {
    const written = { bytes: Buffer.byteLength(content), created: old === undefined };
    return { details: { ...written, ...(diff !== undefined && { diff }) }, notice: undefined };
  }
  // No await from here on, so an abort leaves either the old file or the new one.
  const { bytes, created } = replaceApproved(target, shownPath, {
    content: Buffer.from(content),
    createsDirectories: true,
    beforeRename: () => approved?.requireUnchanged(call.id, target, shownPath),
  });
  approved?.noteWritten(target);
  const isBlind = !created && old?.length !== 0 && hasSeen?.(target) === false;
  const details = { bytes, created, ...(diff !== undefined && { diff }) };
  return { details, notice: isBlind ? unseenNotice(old) : undefined };
}

/** Warns the model, which may have meant another file or not have known about this one. */
function unseenNotice(old: Buffer | undefined): string {
  const lines = old && countLines(old.toString());
  const what = lines === undefined ? "content" : lines === 1 ? "1 line" : `${lines} lines`;
  return `[Warning: the file existed and was not read before; its ${what} ${lines === undefined || lines === 1 ? "is" : "are"} gone.]`;
}

function resultText(shownPath: string, content: string, { bytes, created }: WriteDetails): string {
  const size = `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const done = created ? `Created ${shownPath} (${size})` : `Overwrote ${shownPath} (${size})`;
  return content.isWellFormed() ? done : `${done}\n[Unpaired surrogates cannot be stored and were written as U+FFFD.]`;
}

/** Larger diffs do not help the user. */
const MAX_COMPARED_BYTES = 1024 * 1024;

/**
 * Returns a diff for the user who approves the write, with the whole content of a new file. Returns undefined if the files
 * cannot be compared.
 */
async function diffToNewContent(path: string, content: string): Promise<string | undefined> {
  const old = await readOld(path);
  if (old || existsSync(path) || content === "") return diffFrom(old, content);
  return diffFrom(Buffer.alloc(0), content);
}

async function diffFrom(old: Buffer | undefined, content: string): Promise<string | undefined> {
  if (!old || content.length > MAX_COMPARED_BYTES || old.includes(0) || !isUtf8(old)) return undefined;
  const before = old.toString("utf8");
  const { diff } = await numberedDiff(before, [{ start: 0, end: before.length, text: content }]);
  return diff;
}

/** Returns undefined if there is no file or it is too long to compare. */
async function readOld(path: string): Promise<Buffer | undefined> {
  try {
    const file = await readVersion(path, MAX_COMPARED_BYTES);
    return "bytes" in file ? file.bytes : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined; // The diff is optional; writing reports the error.
    throw error;
  }
}
