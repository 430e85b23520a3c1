import type { Mask } from "../masking/mask.ts";
import type { RecordedEvent } from "./stream-file.ts";

interface Leaf {
  event: number;
  holder: Record<string, unknown>;
  key: string;
}

/** Fields that identify the block of a delta; the deltas of one block form one text. */
const BLOCK_NUMBERS = ["index", "output_index", "content_index"];

/**
 * Masks the events of one answer. A model sends words in pieces, so a secret may be spread over several events. Therefore,
 * strings at the same place of consecutive events are masked as one text.
 */
export function maskEvents(events: readonly RecordedEvent[], mask: Mask): RecordedEvent[] {
  const leaves = new Map<string, Leaf[]>();
  const parsed = events.map(({ data }, event) => {
    const value = data === undefined ? undefined : parseObject(data);
    if (value) collectLeaves(value, { event, path: "", leaves });
    return value;
  });
  const changed = new Set<number>();
  for (const group of leaves.values()) maskGroup(group, mask, changed);
  return events.map((event, index) => {
    if (event.data === undefined) return event;
    const data = changed.has(index) ? JSON.stringify(parsed[index]) : event.data;
    return { ...event, data: mask.text(data) };
  });
}

function maskGroup(group: readonly Leaf[], mask: Mask, changed: Set<number>): void {
  const pieces = group.map(({ holder, key }) => holder[key] as string);
  const masked = mask.pieces(pieces);
  if (masked === pieces) return;
  for (const [at, { event, holder, key }] of group.entries()) {
    if (masked[at] === pieces[at]) continue;
    holder[key] = masked[at];
    changed.add(event);
  }
}

function collectLeaves(
  value: Record<string, unknown>,
  { event, path, leaves }: { event: number; path: string; leaves: Map<string, Leaf[]> },
): void {
  const block = BLOCK_NUMBERS.map((name) => (typeof value[name] === "number" ? `#${value[name]}` : "")).join("");
  for (const [key, child] of Object.entries(value)) {
    const place = `${path}${block}/${key}`;
    if (typeof child === "object" && child !== null) {
      collectLeaves(child as Record<string, unknown>, { event, path: place, leaves });
    } else if (typeof child === "string" && child !== "") {
      const group = leaves.get(place);
      const leaf = { event, holder: value, key };
      if (group) group.push(leaf);
      else leaves.set(place, [leaf]);
    }
  }
}

function parseObject(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // `[DONE]`, or half an event
  }
}
