import { readFileSync } from "node:fs";
import type { ToolResult } from "@pintle/agent";
import { errorText } from "@pintle/ai";
import { fileError, isSystemError, PathExchangedError } from "@pintle/foundation";
import { withFileMutationQueue } from "../shared/file-mutations.ts";
import { replaceApproved } from "../shared/file-version.ts";
import { plural } from "../shared/plural.ts";
import { type EditRequest, type PlanContext, type PlannedFile, planEdits, statesOf } from "./plan.ts";
import { type Fingerprint, fingerprint } from "./preview.ts";

const MAX_NAMES = 5;

interface Write {
  path: string;
  shown: string;
  before: Uint8Array;
  after: Uint8Array;
}

interface ApplyOptions {
  /** Whether these are all the files of the preview. If so, a match in any other file is a conflict. */
  isWhole?: boolean;
  /** Returns what to write in place of the proposed content, or undefined to write that. */
  contentOf?(file: PlannedFile): Uint8Array | undefined;
}

/** Applies all of `previewed` or nothing. It may contain only some files of the preview. */
export async function applyPreview(
  context: PlanContext,
  request: EditRequest,
  previewed: ReadonlyMap<string, Fingerprint>,
  { isWhole = true, contentOf }: ApplyOptions = {},
): Promise<ToolResult & { isStale?: true }> {
  return withFiles([...previewed.keys()], async () => {
    const found = new Map<string, Fingerprint>();
    const writes: Write[] = [];
    await planEdits(context, request, (file) => {
      if (!isWhole && !previewed.has(file.path)) return;
      found.set(file.path, fingerprint(file));
      writes.push(toWrite(file, contentOf));
    });
    const stale = staleNames(previewed, found);
    if (stale.length > 0) return staleResult(stale);
    for (const { path } of writes) context.beforeWrite?.(path);
    return writeAll(writes);
  });
}

/** Holds the queues of all files until the end. Takes them in a fixed order, so two calls never deadlock. */
function withFiles<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const inTurn = [...paths].sort().reduceRight((inner, path) => () => withFileMutationQueue(path, inner), work);
  return inTurn();
}

function toWrite(file: PlannedFile, contentOf: ApplyOptions["contentOf"]): Write {
  const after = contentOf?.(file) ?? statesOf(file).after.bytes;
  return { path: file.path, shown: file.shown, before: file.source.bytes, after };
}

function staleNames(previewed: ReadonlyMap<string, Fingerprint>, found: ReadonlyMap<string, Fingerprint>): string[] {
  const changed = [...previewed].filter(([path, { size, hash, replacements }]) => {
    const now = found.get(path);
    return !now || now.size !== size || now.hash !== hash || now.replacements !== replacements;
  });
  const added = [...found].filter(([path]) => !previewed.has(path));
  return [...changed, ...added].map(([, { shown }]) => shown);
}

function staleResult(names: readonly string[]): ToolResult & { isStale: true } {
  const listed = names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? ", …" : "");
  const text = `Preview is stale: ${plural(names.length, "file")} changed since the preview (${listed}). Nothing was applied. Run ast_edit again.`;
  return { ...failure(text), isStale: true };
}

function writeAll(writes: readonly Write[]): ToolResult & { isStale?: true } {
  const written: Write[] = [];
  for (const write of writes) {
    try {
      replaceApproved(write.path, write.shown, {
        content: write.after,
        beforeRename: (path) => requireUnchanged({ ...write, path }),
      });
    } catch (error) {
      const lost = restore(written);
      if (error instanceof ChangedMeanwhile && lost.length === 0) return staleResult([write.shown]);
      if (!isSystemError(error) && !isOthersWork(error)) throw error;
      const message = errorText(fileError("write", write.shown, error));
      return failure(
        `${message} ${lost.length === 0 ? "Nothing was applied." : `Could not be restored: ${lost.join(", ")}.`}`,
      );
    }
    written.push(write);
  }
  return { content: [] };
}

class ChangedMeanwhile extends Error {}

const isOthersWork = (error: unknown) => error instanceof ChangedMeanwhile || error instanceof PathExchangedError;

/** Checks again, because other programs bypass the queue: an editor may save while earlier files are being written. */
function requireUnchanged({ path, shown, before }: Write): void {
  if (!Buffer.from(before).equals(readFileSync(path))) throw new ChangedMeanwhile(`${shown} changed meanwhile.`);
}

/** Returns the names of the files that could not be restored. */
function restore(written: readonly Write[]): string[] {
  return written.flatMap(({ path, shown, before, after }) => {
    try {
      replaceApproved(path, shown, {
        content: before,
        beforeRename: (now) => requireUnchanged({ path: now, shown, before: after, after: before }),
      });
      return [];
    } catch {
      return [shown];
    }
  });
}

function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
