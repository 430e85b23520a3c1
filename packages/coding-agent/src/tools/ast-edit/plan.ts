import type { SgNode } from "@pintle/exec/native";
import type { FileState } from "../../file-changes/index.ts";
import { fillTemplate, readCapture } from "../ast/captures.ts";
import type { ParseIssues } from "../ast/issues.ts";
import { capturedVariables, parseTemplate, showVariable, type TemplatePart } from "../ast/metavariables.ts";
import { checkPattern } from "../ast/patterns.ts";
import { type ScannedFile, type ScanRequest, scanFiles } from "../ast/scan.ts";
import { encodeSource, indentAt, lineBreakOf } from "../ast/source-file.ts";
import { writableTarget } from "../shared/protected-paths.ts";
import type { ToolContext } from "../tool-context.ts";

export interface EditRequest extends Omit<ScanRequest, "patterns" | "skipsBroken"> {
  operations: readonly Operation[];
  /** Maximum number of replacements. */
  limit: number;
  maxFiles: number;
}

/** A file and the planned changes to it. */
export interface PlannedFile extends Pick<ScannedFile, "path" | "shown" | "source"> {
  edits: Edit[];
}

/** Returns a file before and after the planned changes. Its mode stays, and is left out. */
export function statesOf({ source, edits }: PlannedFile): { before: FileState; after: FileState } {
  const after = encodeSource(applyEdits(source.text, edits), source.hasByteOrderMark);
  return {
    before: { type: "file", mode: 0, bytes: source.bytes },
    after: { type: "file", mode: 0, bytes: after },
  };
}

export interface PlanEnd {
  filesSearched: number;
  issues: ParseIssues;
  /** Whether a limit cut off the results. */
  limitReached: boolean;
  nested: number;
}

export type PlanContext = Pick<ToolContext, "processRunner" | "settings" | "home" | "beforeWrite">;

/** Computes the changes. Deterministic, so that applying a preview changes exactly what it showed. */
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
      writableTarget(file.path, context.home, file.shown); // throws
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

export interface OperationArguments {
  pat: string;
  out: string;
}

interface Operation {
  pattern: string;
  template: readonly TemplatePart[];
}

/** Throws for every mistake that can be detected without reading a file. */
export function checkOperations(ops: readonly OperationArguments[]): Operation[] {
  if (ops.length === 0) throw new Error("ops is empty");
  const seen = new Map<string, number>();
  return ops.map(({ pat, out }, index) => {
    checkPattern(pat, `ops[${index}].pat`);
    const before = seen.get(pat);
    if (before !== undefined) throw new Error(`ops[${index}].pat is the same as ops[${before}].pat: ${pat}`);
    seen.set(pat, index);
    const template = parseTemplate(out, capturedVariables(pat), (variable) => refuseVariable(index, variable));
    return { pattern: pat, template };
  });
}

function refuseVariable(index: number, variable: string): never {
  throw new Error(`ops[${index}].out uses ${variable}, which ops[${index}].pat does not capture`);
}

/** One replacement. Offsets count UTF-16 code units, like JavaScript strings. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  /** Start position, 1-based. */
  line: number;
  column: number;
}

interface Hit extends Omit<Edit, "text"> {
  operation: number;
  node: SgNode;
}

interface FileEdits {
  /** In source order, without overlaps. */
  edits: Edit[];
  /** Matches inside another match of the same operation, which replaces them as part of the outer one. */
  nested: number;
}

/** Returns the changes that the operations make in a file. Throws if two of them match the same code. */
function findEdits(file: ScannedFile, operations: readonly Operation[]): FileEdits {
  const perOperation = file.matches.map((nodes, operation) => outermost(nodes, operation));
  const hits = perOperation.flatMap(({ kept }) => kept).sort((a, b) => a.start - b.start || b.end - a.end);
  refuseOverlaps(hits, file.shown);
  const { text } = file.source;
  const edits = hits
    .map((hit) => toEdit(hit, operations, text))
    .filter((edit) => edit.text !== text.slice(edit.start, edit.end));
  return { edits, nested: perOperation.reduce((sum, { dropped }) => sum + dropped, 0) };
}

function outermost(nodes: readonly SgNode[], operation: number): { kept: Hit[]; dropped: number } {
  const hits = nodes
    .map((node): Hit => {
      const { start, end } = node.range();
      const position = { line: start.line + 1, column: start.column + 1 };
      return { start: start.index, end: end.index, ...position, operation, node };
    })
    .sort((a, b) => a.start - b.start || b.end - a.end);
  let covered = 0;
  const kept = hits.filter(({ start, end }) => {
    const isOuter = start >= covered;
    if (isOuter) covered = end;
    return isOuter;
  });
  return { kept, dropped: hits.length - kept.length };
}

function refuseOverlaps(hits: readonly Hit[], shown: string): void {
  let widest = hits[0];
  for (const hit of hits.slice(1)) {
    if (widest && hit.start < widest.end) {
      const [first, second] = [widest.operation, hit.operation].sort((a, b) => a - b);
      throw new Error(
        `ops[${first}] and ops[${second}] overlap in ${shown} at line ${hit.line}. Nothing was staged; run them one after the other.`,
      );
    }
    if (!widest || hit.end > widest.end) widest = hit;
  }
}

function toEdit({ operation, node, ...where }: Hit, operations: readonly Operation[], source: string): Edit {
  const place = { indent: indentAt(source, where.start), lineBreak: lineBreakOf(source) };
  const text = fillTemplate(
    operations[operation]?.template ?? [],
    // The pattern contains the variable, but in the context around the node that `sel` selects.
    (variable) => readCapture(node, variable, source) ?? refuseVariable(operation, showVariable(variable)),
    place,
  );
  return { ...where, text };
}

export function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = "";
  let end = 0;
  for (const edit of edits) {
    result += source.slice(end, edit.start) + edit.text;
    end = edit.end;
  }
  return result + source.slice(end);
}
