import type { FileSummary } from "@pintle/wire";
import { describeChange } from "../../file-changes/index.ts";
import { type Before, describe } from "./changed-files.ts";

/** The net change of one file; undefined if its content is the same. */
type Change = Omit<FileSummary, "path">;

export function compare(before: Before | undefined, now: Buffer | undefined): Change | undefined {
  if (before && "hash" in before) return compareCounts(before, now && describe(now));
  const [old, current] = [before?.bytes, now].map((bytes) => bytes && { type: "file" as const, mode: 0, bytes });
  const change = describeChange({ path: "", before: old, after: current, sources: [] });
  return change && { status: change.status, added: change.added, removed: change.removed, binary: change.binary };
}

/** For a file that was too large to keep. */
function compareCounts(
  old: ReturnType<typeof describe>,
  now: ReturnType<typeof describe> | undefined,
): Change | undefined {
  if (old.hash === now?.hash) return undefined;
  const status = now ? "modified" : "deleted";
  if (old.binary || now?.binary) return { status, added: 0, removed: 0, binary: true };
  return { status, added: now?.lines ?? 0, removed: old.lines, binary: false };
}
