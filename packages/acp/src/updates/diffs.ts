import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import { absolutePath } from "./tool-table.ts";

type DiffBlock = Extract<ToolCallContent, { type: "diff" }>;

interface Side {
  old: string[];
  new: string[];
}

/**
 * Converts the engine's diffs, which are meant for people: parts of a file with line numbers, or hunks of a unified diff for
 * several files. ACP needs the text before and after, so each part becomes one block.
 */
export function numberedDiffBlocks(path: string, diff: string): DiffBlock[] {
  const pieces: Side[] = [{ old: [], new: [] }];
  for (const line of diff.split("\n")) {
    if (line === " ...") pieces.push({ old: [], new: [] });
    else {
      const found = /^([ +-])\d+ (.*)$/s.exec(line);
      if (found) put(pieces.at(-1)!, found[1]!, found[2]!);
    }
  }
  return pieces.flatMap((piece) => toBlock(path, piece));
}

/** Counts the lines of a hunk, because a removed line may look like the header of the next file. */
export function unifiedDiffBlocks(diff: string, cwd: string): DiffBlock[] {
  const blocks: DiffBlock[] = [];
  const lines = diff.split("\n");
  let path = "";
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (line.startsWith("+++ ")) path = absolutePath(line.slice(4).replace(/^b\//, ""), cwd);
    if (!hunk) continue;
    const piece: Side = { old: [], new: [] };
    const [oldCount, newCount] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    while (at + 1 < lines.length && (piece.old.length < oldCount || piece.new.length < newCount)) {
      at += 1;
      const sign = lines[at]!.slice(0, 1);
      if (sign !== "\\") put(piece, sign, lines[at]!.slice(1)); // "\ No newline at end of file"
    }
    blocks.push(...toBlock(path, piece));
  }
  return blocks;
}

/** Returns what a call would change, judging only by its arguments. */
export function diffsOfArguments(name: string, args: Readonly<Record<string, unknown>>, cwd: string): DiffBlock[] {
  const { path, content, edits } = args;
  if (typeof path !== "string") return [];
  const file = absolutePath(path, cwd);
  if (name === "write" && typeof content === "string") return [{ type: "diff", path: file, newText: content }];
  if (name !== "edit" || !Array.isArray(edits)) return [];
  return edits.flatMap((edit: unknown): DiffBlock[] =>
    isRecord(edit) && typeof edit.oldText === "string" && typeof edit.newText === "string"
      ? [{ type: "diff", path: file, oldText: edit.oldText, newText: edit.newText }]
      : [],
  );
}

function put(piece: Side, sign: string, text: string): void {
  if (sign !== "+") piece.old.push(text);
  if (sign !== "-") piece.new.push(text);
}

function toBlock(path: string, { old, new: after }: Side): DiffBlock[] {
  const [oldText, newText] = [old.join("\n"), after.join("\n")];
  return oldText === newText || path === "" ? [] : [{ type: "diff", path, oldText, newText }];
}
