import type { FileSummary } from "@pintle/wire";
import { lineHunks } from "../../tools/shared/line-hunks.ts";
import { type Before, describe, MAX_COMPARED_BYTES } from "./changed-files.ts";

/** The net change of one file; undefined if its content is the same. */
type Change = Omit<FileSummary, "path">;

export async function compare(before: Before | undefined, now: Buffer | undefined): Promise<Change | undefined> {
  if (!before && !now) return undefined;
  const old = before && "bytes" in before ? describe(before.bytes) : before;
  const current = now && describe(now);
  if (old && current && old.hash === current.hash) return undefined;
  const status = !old ? "added" : current ? "modified" : "deleted";
  if (old?.binary || current?.binary) return { status, added: 0, removed: 0, binary: true };
  const canCompare = before && "bytes" in before && now && now.length <= MAX_COMPARED_BYTES;
  const lines = canCompare
    ? await changedLines(before.bytes.toString(), now.toString())
    : { added: current?.lines ?? 0, removed: old?.lines ?? 0 };
  return { status, ...lines, binary: false };
}

async function changedLines(before: string, now: string): Promise<{ added: number; removed: number }> {
  const hunks = await lineHunks(before, [{ start: 0, end: before.length, text: now }]);
  const sum = (side: "added" | "removed") => hunks.reduce((lines, hunk) => lines + hunk[side].length, 0);
  return { added: sum("added"), removed: sum("removed") };
}
