import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { canonicalPath } from "../../files/canonical-path.ts";
import { fileError } from "../../files/file-errors.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { withFileMutationQueue } from "../shared/file-mutations.ts";
import { displayPath, resolveToolPath } from "../shared/paths.ts";
import { writableTarget } from "../shared/protected-paths.ts";
import type { ToolContext } from "../tool-context.ts";
import type { WriteArguments, WriteDetails } from "../write.ts";
import { diffToNewContent } from "./overwrite-diff.ts";

export async function execute(
  { path, content }: WriteArguments,
  { id, signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<WriteDetails>> {
  const absolutePath = resolveToolPath(path, context.cwd());
  const shownPath = displayPath(absolutePath, context.cwd());
  if (/[\\/]$/.test(path)) throw new Error(`${path} names a directory; write needs the name of a file.`);
  try {
    const details = await withFileMutationQueue(absolutePath, () => {
      const target = writableTarget(absolutePath, context.home, shownPath);
      context.approved?.require(id, target, shownPath);
      return writeFile(target, content, signal);
    });
    return { content: [{ type: "text", text: resultText(shownPath, content, details) }], details };
  } catch (error) {
    throw fileError("write", shownPath, error);
  }
}

export function preview({ path, content }: WriteArguments, context: ToolContext): Promise<string | undefined> {
  return diffToNewContent(canonicalPath(resolveToolPath(path, context.cwd())), content);
}

async function writeFile(target: string, content: string, signal: AbortSignal): Promise<WriteDetails> {
  signal.throwIfAborted();
  const diff = await diffToNewContent(target, content);
  signal.throwIfAborted();
  // From here to the end nothing is awaited: an abort finds the old file or the new one.
  mkdirSync(dirname(target), { recursive: true });
  const { bytes, created } = replaceFile(target, { content: Buffer.from(content) });
  return { bytes, created, ...(diff !== undefined && { diff }) };
}

function resultText(shownPath: string, content: string, { bytes, created }: WriteDetails): string {
  const size = `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const done = created ? `Created ${shownPath} (${size})` : `Overwrote ${shownPath} (${size})`;
  return content.isWellFormed()
    ? done
    : `${done}\n[Half surrogate pairs cannot be stored; U+FFFD was written for them.]`;
}
