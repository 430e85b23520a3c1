import { cutToBytes } from "@pintle/foundation";
import type { DecidedParts, FileChange, Hunk } from "@pintle/wire";
import { describeChange } from "../file-changes/index.ts";

/** The lines of discarded hunks and of edits, which the model reads once. */
const MAX_SHOWN_BYTES = 16 * 1024;
const MAX_NAMES = 50;

/** An edited file with the text that was proposed for it; undefined if that is not known. */
export interface EditedText {
  path: string;
  proposed: string | undefined;
  final: string;
}

/** Tells the model what was applied, what was discarded, and what the user has changed before. */
export function partsText(
  label: string,
  changes: readonly FileChange[],
  { applied, discarded }: DecidedParts,
  edited: readonly EditedText[],
): string {
  const isPart = discarded.files.length + discarded.hunks.length > 0;
  const byPath = new Map(edited.map((one) => [one.path, one]));
  const [done, dropped, shown] = [[] as string[], [] as string[], [] as string[]];
  for (const change of changes) {
    const { path, hunks = [] } = change;
    if (applied.files.includes(path)) done.push(byPath.has(path) ? `${path} (edited, see below)` : path);
    else if (discarded.files.includes(path)) {
      dropped.push(path);
      shown.push(...hunks.map((hunk) => hunkText(path, hunk)));
    } else {
      const parts = splitHunks(hunks, new Set(applied.hunks));
      done.push(...parts.applied.map((lines) => `${path}:${lines}`));
      dropped.push(...parts.discarded.map(({ oldStart }) => `${path}:${oldStart} (lines before the change)`));
      shown.push(...parts.discarded.map((hunk) => hunkText(path, hunk)));
    }
  }
  const sections = [
    `${isPart ? "Applied in part" : "Applied"}: ${label}.`,
    `Applied: ${listed(done)}`,
    isPart ? `Discarded, and not in the files: ${listed(dropped)}` : "",
    shortened(shown.join("\n"), "the discarded changes"),
    edited.length > 0 ? "The user edited the proposed text before it was applied. From the proposal to the file:" : "",
    shortened(edited.map(editText).join("\n"), "the edits"),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

/** Returns the lines of applied hunks in the new file, as `12` or `12-15`, and the discarded hunks. */
function splitHunks(hunks: readonly Hunk[], chosen: ReadonlySet<string>) {
  const applied: string[] = [];
  const discarded: Hunk[] = [];
  let shift = 0; // net number of lines that applied hunks have added above
  for (const hunk of hunks) {
    if (!chosen.has(hunk.hunkId)) {
      discarded.push(hunk);
      continue;
    }
    const context = hunk.lines.findIndex((line) => !line.startsWith(" "));
    const first = hunk.oldStart + (hunk.oldLines === 0 ? 1 : 0) + context + shift;
    const [added, removed] = ["+", "-"].map((sign) => hunk.lines.filter((line) => line.startsWith(sign)).length);
    const last = first + added! - 1;
    applied.push(last > first ? `${first}-${last}` : added === 0 ? `${first} (${removed} removed)` : `${first}`);
    shift += added! - removed!;
  }
  return { applied, discarded };
}

export function hunkText(path: string, { oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@ ${path}\n${lines.join("\n")}`;
}

function editText({ path, proposed, final }: EditedText): string {
  if (proposed === undefined) return `${path}: read the file to see its text`;
  const state = (text: string) => ({ type: "file" as const, mode: 0, bytes: Buffer.from(text) });
  const change = describeChange({ path, before: state(proposed), after: state(final), sources: [] });
  if (!change) return `${path}: the same text as proposed`;
  return change.hunks?.map((hunk) => hunkText(path, hunk)).join("\n") ?? `${path}: too much to show; read the file`;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "nothing";
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

function shortened(text: string, what: string): string {
  const shown = cutToBytes(text, MAX_SHOWN_BYTES);
  return shown.length === text.length ? text : `${shown}\n[The rest of ${what} is left out.]`;
}
