import type { Row, UsageRow } from "../page-data.ts";

export interface Turn {
  row: number;
  usage: UsageRow;
}

export interface TimedCall {
  /** The result. */
  row: number;
  tool: string;
  start: number;
  ms: number;
  isError: boolean;
}

export interface Figures {
  usage: UsageRow;
  turns: Turn[];
  calls: TimedCall[];
  models: { name: string; turns: number }[];
  tools: { name: string; count: number; ms: number }[];
  counts: { user: number; assistant: number; tool: number; shell: number; compaction: number; failed: number };
  /** Time from the first to the last entry. */
  elapsedMs: number;
  modelMs: number;
  toolMs: number;
}

const NOTHING: UsageRow = [0, 0, 0, 0, 0];

export function measure(rows: readonly Row[], path: readonly number[]): Figures {
  const turns: Turn[] = [];
  const calls: TimedCall[] = [];
  const models = new Map<string, number>();
  const tools = new Map<string, { count: number; ms: number }>();
  const counts = { user: 0, assistant: 0, tool: 0, shell: 0, compaction: 0, failed: 0 };
  let usage: UsageRow = NOTHING;
  let [modelMs, toolMs, first, last] = [0, 0, 0, 0];
  for (const place of path) {
    const row = rows[place] as Row;
    usage = add(usage, row.usage ?? NOTHING);
    if (row.kind in counts) counts[row.kind as "user"] += 1;
    if (row.at > 0) {
      first ||= row.at;
      last = Math.max(last, row.at);
    }
    if (row.kind === "assistant") {
      modelMs += row.ms ?? 0;
      if (row.state === "error" || row.state === "aborted") counts.failed += 1;
      if (row.model) models.set(row.model, (models.get(row.model) ?? 0) + 1);
      turns.push({ row: place, usage: row.usage ?? NOTHING });
    } else if (row.kind === "tool" && row.tool !== undefined) {
      const ms = row.ms ?? 0;
      const known = tools.get(row.tool) ?? { count: 0, ms: 0 };
      tools.set(row.tool, { count: known.count + 1, ms: known.ms + ms });
      toolMs += ms;
      if (row.at > 0)
        calls.push({ row: place, tool: row.tool, start: row.at - ms, ms, isError: row.state === "error" });
    }
  }
  return {
    usage,
    turns,
    calls,
    models: [...models].map(([name, count]) => ({ name, turns: count })).sort((a, b) => b.turns - a.turns),
    tools: [...tools].map(([name, sums]) => ({ name, ...sums })).sort((a, b) => b.ms - a.ms || b.count - a.count),
    counts,
    elapsedMs: last - first,
    modelMs,
    toolMs,
  };
}

function add(a: UsageRow, b: UsageRow): UsageRow {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]];
}

export function tokenSum([input, output, cacheRead, cacheWrite]: UsageRow): number {
  return input + output + cacheRead + cacheWrite;
}

/** Groups neighbouring turns so that the columns of the chart stay distinguishable. */
export function groupTurns(turns: readonly Turn[], most: number): { turns: Turn[]; usage: UsageRow; first: number }[] {
  const columns = Math.min(most, turns.length);
  return Array.from({ length: columns }, (_, column) => {
    // Groups have about the same size; otherwise the last column would look too low.
    const first = Math.floor((column * turns.length) / columns);
    const members = turns.slice(first, Math.floor(((column + 1) * turns.length) / columns));
    return { turns: members, usage: members.reduce((sum, turn) => add(sum, turn.usage), NOTHING), first: first + 1 };
  });
}

/** Removes idle time, so that short calls are visible in a conversation that lasted days. */
export function compressTimes(calls: readonly TimedCall[], longestPause: number): { starts: number[]; total: number } {
  const starts = new Array<number>(calls.length).fill(0);
  const order = calls
    .map((_, index) => index)
    .sort((a, b) => (calls[a] as TimedCall).start - (calls[b] as TimedCall).start);
  let [skipped, end] = [0, 0];
  const begin = order.length > 0 ? (calls[order[0] as number] as TimedCall).start : 0;
  for (const index of order) {
    const { start, ms } = calls[index] as TimedCall;
    const pause = start - begin - skipped - end;
    if (pause > longestPause) skipped += pause - longestPause;
    starts[index] = start - begin - skipped;
    end = Math.max(end, (starts[index] as number) + ms);
  }
  return { starts, total: end };
}
