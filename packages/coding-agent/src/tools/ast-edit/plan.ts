import type { ParseIssues } from "../ast/issues.ts";
import { type ScannedFile, type ScanRequest, scanFiles } from "../ast/scan.ts";
import { writableTarget } from "../shared/protected-paths.ts";
import type { ToolContext } from "../tool-context.ts";
import { type Edit, findEdits } from "./find-edits.ts";
import type { Operation } from "./operations.ts";

export interface EditRequest extends Omit<ScanRequest, "patterns" | "skipsBroken"> {
  operations: readonly Operation[];
  /** The most replacements. */
  limit: number;
  maxFiles: number;
}

/** A file and what would change in it. */
export interface PlannedFile extends Pick<ScannedFile, "path" | "shown" | "source"> {
  edits: Edit[];
}

export interface PlanEnd {
  filesSearched: number;
  issues: ParseIssues;
  /** Something was left out because there is too much of it. */
  limitReached: boolean;
  nested: number;
}

export type PlanContext = Pick<ToolContext, "gateway" | "settings" | "home">;

/** Works out the same changes for the same files every time: for the preview and when that is applied. */
export async function planEdits(
  context: PlanContext,
  { operations, limit, maxFiles, ...scan }: EditRequest,
  take: (file: PlannedFile) => void,
): Promise<PlanEnd> {
  let replacements = 0;
  let files = 0;
  let nested = 0;
  let isFull = false;
  const patterns = operations.map(({ pattern }) => pattern);
  const end = await scanFiles(context, { ...scan, patterns, skipsBroken: true }, (file) => {
    const found = findEdits(file, operations);
    nested += found.nested;
    if (found.edits.length === 0) return true;
    isFull = replacements + found.edits.length > limit || files >= maxFiles;
    const edits = files >= maxFiles ? [] : found.edits.slice(0, limit - replacements);
    if (edits.length > 0) {
      writableTarget(file.path, context.home, file.shown); // refuses
      replacements += edits.length;
      files += 1;
      take({ path: file.path, shown: file.shown, source: file.source, edits });
    }
    return !isFull;
  });
  if (end.hasTimedOut) {
    throw new Error("Stopped after 30 seconds before every file was searched. Use a narrower path or glob.");
  }
  return { filesSearched: end.filesSearched, issues: end.issues, limitReached: isFull || end.isCut, nested };
}
