import type { SgNode } from "../../native/ast-engine.ts";
import { readCapture } from "../ast/captures.ts";
import { showVariable } from "../ast/metavariables.ts";
import type { ScannedFile } from "../ast/scan.ts";
import { indentAt, lineBreakOf } from "../ast/source-file.ts";
import { fillTemplate } from "../ast/template.ts";
import { type Operation, refuseVariable } from "./operations.ts";

/** One replacement. Offsets are those of JavaScript strings. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  /** Where it begins, from 1. */
  line: number;
  column: number;
}

interface Hit extends Omit<Edit, "text"> {
  operation: number;
  node: SgNode;
}

export interface FileEdits {
  /** In the order of the source; no two overlap. */
  edits: Edit[];
  /** Matches inside of others of the same operation, which are replaced as a part of those. */
  nested: number;
}

/** What the operations change in a file. Throws when two of them want the same piece of code. */
export function findEdits(file: ScannedFile, operations: readonly Operation[]): FileEdits {
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
    // Not captured although the pattern has it: it stands in the context around the node that `sel` picks.
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
