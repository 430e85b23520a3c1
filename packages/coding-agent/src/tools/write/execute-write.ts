import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { canonicalPath } from "../../files/canonical-path.ts";
import { fileError } from "../../files/file-errors.ts";
import { countLines } from "../../text/cut-to-bytes.ts";
import type { HostCall } from "../host-workplace.ts";
import { withFileMutationQueue } from "../shared/file-mutations.ts";
import { displayPath, resolveToolPath } from "../shared/paths.ts";
import { writableTarget } from "../shared/protected-paths.ts";
import { replaceApproved } from "../shared/replace-approved.ts";
import type { ToolContext } from "../tool-context.ts";
import type { WriteArguments, WriteDetails } from "../write.ts";
import { diffFrom, diffToNewContent, readOld } from "./overwrite-diff.ts";

export async function execute(
  { path, content }: WriteArguments,
  { id, signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<WriteDetails>> {
  const absolutePath = resolveToolPath(path, context.cwd());
  const shownPath = displayPath(absolutePath, context.cwd());
  if (/[\\/]$/.test(path)) throw new Error(`${path} names a directory; write needs the name of a file.`);
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
  return diffToNewContent(canonicalPath(resolveToolPath(path, context.cwd())), content);
}

interface WriteTask {
  /** Links followed. */
  target: string;
  shownPath: string;
  content: string;
}

async function writeFile(
  { target, shownPath, content }: WriteTask,
  call: HostCall,
  { hasSeen, workplace, approved }: Pick<ToolContext, "hasSeen" | "workplace" | "approved">,
): Promise<{ details: WriteDetails; notice: string | undefined }> {
  const { signal } = call;
  signal.throwIfAborted();
  const old = await readOld(target);
  const diff = await diffFrom(old, content);
  signal.throwIfAborted();
  approved?.requireUnchanged(call.id, target, shownPath);
  if (await workplace?.().files?.write(target, content, call)) {
    const written = { bytes: Buffer.byteLength(content), created: old === undefined };
    return { details: { ...written, ...(diff !== undefined && { diff }) }, notice: undefined };
  }
  // From here to the end nothing is awaited: an abort finds the old file or the new one.
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

/** The model may have meant another file, or not have known that there was one. */
function unseenNotice(old: Buffer | undefined): string {
  const lines = old && countLines(old.toString());
  const what = lines === undefined ? "content" : lines === 1 ? "1 line" : `${lines} lines`;
  return `[Warning: the file existed and was not read before; its ${what} ${lines === undefined || lines === 1 ? "is" : "are"} gone.]`;
}

function resultText(shownPath: string, content: string, { bytes, created }: WriteDetails): string {
  const size = `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const done = created ? `Created ${shownPath} (${size})` : `Overwrote ${shownPath} (${size})`;
  return content.isWellFormed()
    ? done
    : `${done}\n[Half surrogate pairs cannot be stored; U+FFFD was written for them.]`;
}
