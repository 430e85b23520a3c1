import type { Decision, Row } from "../page-data.ts";

/** One path through the tree, as it is read: results stand with their calls. */
export interface Conversation {
  leaf: number;
  path: readonly number[];
  onPath: ReadonlySet<number>;
  /** Rows that stand for themselves, in order. */
  items: readonly number[];
  /** Call → the row of its result. */
  resultOf: ReadonlyMap<string, number>;
  /** Row of a result → the row of the answer that shows it. */
  ownerOf: ReadonlyMap<number, number>;
  /** Call that staged a change → what became of it. */
  decisionOf: ReadonlyMap<string, Decision>;
  /** Answers, counted from 1. */
  turnOf: ReadonlyMap<number, number>;
  /** Answers of another model than the one before. */
  newModels: ReadonlySet<number>;
}

export function buildConversation(rows: readonly Row[], leaf: number, showsData: boolean): Conversation {
  const path = pathTo(rows, leaf);
  const callers = new Map<string, number>();
  const resultOf = new Map<string, number>();
  const ownerOf = new Map<number, number>();
  const turnOf = new Map<number, number>();
  const decisionOf = new Map<string, Decision>();
  const newModels = new Set<number>();
  let model: string | undefined;
  const undecided: { id: string; name: string }[] = [];
  const items: number[] = [];
  for (const place of path) {
    const row = rows[place] as Row;
    if (row.kind === "assistant") {
      turnOf.set(place, turnOf.size + 1);
      if (row.model !== model) newModels.add(place);
      model = row.model;
    }
    for (const { id, name } of row.calls ?? []) {
      callers.set(id, place);
      undecided.push({ id, name });
    }
    const caller = row.call === undefined ? undefined : callers.get(row.call);
    if (row.decision) decide(row.decision, undecided, decisionOf);
    if (row.call !== undefined && caller !== undefined && !resultOf.has(row.call)) {
      resultOf.set(row.call, place);
      ownerOf.set(place, caller);
    } else if (showsData || !isBookkeeping(row)) items.push(place);
  }
  return { leaf, path, onPath: new Set(path), items, resultOf, ownerOf, decisionOf, turnOf, newModels };
}

export function pathTo(rows: readonly Row[], leaf: number): number[] {
  const path: number[] = [];
  for (let place = leaf; place >= 0; place = (rows[place] as Row).parent) path.push(place);
  return path.reverse();
}

/** A decision is about the newest change that its tool has staged. */
function decide(
  decision: Decision,
  undecided: { id: string; name: string }[],
  decisionOf: Map<string, Decision>,
): void {
  const { tool } = decision;
  const at = tool === undefined ? -1 : undecided.findLastIndex(({ name }) => name === tool);
  if (at === -1) return;
  const [call] = undecided.splice(at, 1);
  if (call) decisionOf.set(call.id, decision);
}

/** What programs write for themselves: it is part of the session, but was said by no participant. */
export function isBookkeeping({ kind, title, isUnseen }: Row): boolean {
  return kind === "data" || isUnseen === true || (kind === "change" && /^Label/.test(title));
}

/** Oldest first, for every row and for the roots (-1). */
export function childrenOf(rows: readonly Row[]): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const [place, { parent }] of rows.entries()) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(place);
    else children.set(parent, [place]);
  }
  return children;
}

/** Where the conversation that goes through this row ended last. */
export function newestLeaf(children: ReadonlyMap<number, readonly number[]>, from: number): number {
  let place = from;
  for (let next = children.get(place); next; next = children.get(place)) place = next.at(-1) as number;
  return place;
}
