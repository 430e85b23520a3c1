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
  /** Its beginning is not here yet. Results of calls in that part are left out, and answers are not counted. */
  isPartial: boolean;
}

export function buildConversation(rows: readonly Row[], leaf: number, showsData: boolean): Conversation {
  const conversation = new GrowingConversation(rows, { showsData });
  for (const place of pathTo(rows, leaf)) conversation.add(place);
  return conversation;
}

/** A conversation that goes on: a row more costs the same, however many there are. */
export class GrowingConversation implements Conversation {
  leaf = -1;
  readonly path: number[] = [];
  readonly onPath = new Set<number>();
  readonly items: number[] = [];
  readonly resultOf = new Map<string, number>();
  readonly ownerOf = new Map<number, number>();
  readonly decisionOf = new Map<string, Decision>();
  readonly turnOf = new Map<number, number>();
  readonly newModels = new Set<number>();
  readonly isPartial: boolean;
  readonly #rows: readonly Row[];
  readonly #showsData: boolean;
  readonly #callers = new Map<string, number>();
  readonly #undecided: { id: string; name: string }[] = [];
  #model: string | undefined;

  constructor(rows: readonly Row[], { showsData, isPartial = false }: { showsData: boolean; isPartial?: boolean }) {
    this.#rows = rows;
    this.#showsData = showsData;
    this.isPartial = isPartial;
  }

  /** The row behind the one that was added last. */
  add(place: number): void {
    const row = this.#rows[place] as Row;
    this.leaf = place;
    this.path.push(place);
    this.onPath.add(place);
    if (row.kind === "assistant") {
      if (!this.isPartial) this.turnOf.set(place, this.turnOf.size + 1);
      if (row.model !== this.#model) this.newModels.add(place);
      this.#model = row.model;
    }
    for (const { id, name } of row.calls ?? []) {
      this.#callers.set(id, place);
      this.#undecided.push({ id, name });
    }
    const caller = row.call === undefined ? undefined : this.#callers.get(row.call);
    if (row.decision) decide(row.decision, this.#undecided, this.decisionOf);
    if (row.call !== undefined && caller !== undefined && !this.resultOf.has(row.call)) {
      this.resultOf.set(row.call, place);
      this.ownerOf.set(place, caller);
    } else if (this.isPartial && row.call !== undefined) {
      // Its call will come, and shows it.
    } else if (this.#showsData || !isBookkeeping(row)) this.items.push(place);
  }
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
