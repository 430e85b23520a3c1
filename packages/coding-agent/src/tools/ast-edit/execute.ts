import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { type ScopeArguments, wholeNumber } from "../ast/arguments.ts";
import { maxTouchedFiles, resultText } from "../ast/result-text.ts";
import { openScan, SCAN_BUDGET_MS } from "../ast/scan.ts";
import { plural } from "../shared/plural.ts";
import { outputLimits } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { applyPreview } from "./apply.ts";
import { applyParts, proposedText } from "./apply-parts.ts";
import { checkOperations, type EditRequest, type OperationArguments, type PlanEnd, planEdits } from "./plan.ts";
import { Preview } from "./preview.ts";

export interface AstEditArguments extends ScopeArguments {
  ops: OperationArguments[];
  limit?: number;
}

export interface AstEditDetails {
  totalReplacements: number;
  filesTouched: number;
  filesSearched: number;
  applied: boolean;
  /** Set if the changes were applied to only some of the files. */
  appliedFiles?: string[];
  limitReached: boolean;
  parseErrors?: string[];
  parseErrorsTotal?: number;
  scopePath: string;
  files: string[];
  fileReplacements: { path: string; count: number }[];
  diff: string;
}

const HEADING = "Preview only, nothing written. Call resolve to apply or discard.";

export async function execute(
  args: AstEditArguments,
  call: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<AstEditDetails>> {
  const limit = wholeNumber(args.limit, { field: "limit", least: 1 }) ?? Number.POSITIVE_INFINITY;
  const operations = checkOperations(args.ops);
  const scan = openScan(args, context.cwd());
  const request: EditRequest = { ...scan, operations, limit, maxFiles: maxTouchedFiles(), signal: call.signal };
  const limits = outputLimits(context.settings);
  const preview = new Preview(limits);
  const end = await planEdits(context, { ...request, budget: SCAN_BUDGET_MS }, (file) => preview.add(file));
  const { fileReplacements, replacements } = preview;
  const details: AstEditDetails = {
    totalReplacements: replacements,
    filesTouched: fileReplacements.length,
    filesSearched: end.filesSearched,
    applied: false,
    limitReached: end.limitReached,
    ...end.issues.details(),
    scopePath: scan.scope.shown,
    files: fileReplacements.map(({ path }) => path),
    fileReplacements,
    diff: preview.diff,
  };
  if (replacements > 0) {
    const amount = `${plural(replacements, "replacement")} in ${plural(fileReplacements.length, "file")}`;
    context.pushPendingAction({
      label: `AST Edit: ${amount}`,
      sourceToolName: "ast_edit",
      paths: details.files,
      changes: preview.changes,
      pendingNote: HEADING,
      details,
      async apply() {
        const { isStale: _, ...result } = await applyPreview(context, unabortable(request), preview.files);
        if (result.isError) return result;
        const text = `Applied ${amount}.`;
        return { content: [{ type: "text", text }], details: { ...details, applied: true } };
      },
      async applyFiles(files) {
        const chosen = new Map([...preview.files].filter(([, { shown }]) => files.includes(shown)));
        const isWhole = chosen.size === preview.files.size;
        const { isStale: _, ...result } = await applyPreview(context, unabortable(request), chosen, { isWhole });
        if (result.isError) return result;
        const text = partText(preview.fileReplacements, files);
        return { content: [{ type: "text", text }], details: { ...details, applied: true, appliedFiles: [...files] } };
      },
      async applyHunks(selection) {
        const result = await applyParts(context, unabortable(request), preview, selection);
        return result.isError ? result : { ...result, details: { ...details, applied: true } };
      },
      proposedText: (path) => proposedText(context, unabortable(request), preview.files, path),
    });
  }
  const body = replacements > 0 ? preview.toText(scan.scope.onlyFile === undefined) : "No replacements made.";
  const heading = replacements > 0 ? `${HEADING}\n\n` : "";
  const text = heading + resultText(body, notes(end), limits);
  return { content: [{ type: "text", text }], details };
}

/** Finishes once started, even if the run is aborted in the meantime. */
function unabortable(request: EditRequest): EditRequest {
  return { ...request, signal: new AbortController().signal };
}

const MAX_NAMES = 20;

/** Lists the files that were changed and those that were not. */
function partText(all: readonly { path: string; count: number }[], files: readonly string[]): string {
  const applied = all.filter(({ path }) => files.includes(path));
  const left = all.filter(({ path }) => !files.includes(path));
  const count = applied.reduce((sum, one) => sum + one.count, 0);
  const names = (list: typeof all) =>
    list
      .slice(0, MAX_NAMES)
      .map(({ path }) => path)
      .join(", ") + (list.length > MAX_NAMES ? `, and ${list.length - MAX_NAMES} more` : "");
  const head = `Applied ${plural(count, "replacement")} in ${plural(applied.length, "file")}: ${names(applied)}.`;
  return left.length === 0 ? head : `${head} Discarded, and left as they were: ${names(left)}.`;
}

function notes({ issues, nested, limitReached }: PlanEnd): string[] {
  return [
    nested > 0
      ? `${plural(nested, "match")} inside of another match of the same op left out; run again for those.`
      : "",
    issues.toText(),
    limitReached ? "Limit reached; there is more to replace. Use a narrower path or glob." : "",
  ];
}
