import { tokenSum } from "../overview/figures.ts";
import type { Decision, Row } from "../page-data.ts";

/** One path through the tree in reading order: results are shown with their calls. */
export interface Conversation {
  leaf: number;
  path: readonly number[];
  onPath: ReadonlySet<number>;
  /** Rows with their own entry, in order. */
  items: readonly number[];
  /** Maps a call to the row of its result. */
  resultOf: ReadonlyMap<string, number>;
  /** Maps the row of a result to the row of the answer that shows it. */
  ownerOf: ReadonlyMap<number, number>;
  /** Maps a call that staged a change to its outcome. */
  decisionOf: ReadonlyMap<string, Decision>;
  /** Answers, counted from 1. */
  turnOf: ReadonlyMap<number, number>;
  /** Turns that continue the previous answer: only calls were made in between. */
  continuing: ReadonlySet<number>;
  /** Maps the last turn of an answer to the figures of the whole answer. */
  totalOf: ReadonlyMap<number, AnswerTotal>;
  /** Answers from a different model than the previous one. */
  newModels: ReadonlySet<number>;
  /** The beginning is not loaded yet. Results of calls in that part are omitted, and answers are not numbered. */
  isPartial: boolean;
}

/** Figures of one answer, which may have taken several turns. */
export interface AnswerTotal {
  turns: number;
  tokens: number;
  cost: number;
  /** From the message that it answers to its end; undefined if one of the times is unknown. */
  ms?: number;
}

export function buildConversation(rows: readonly Row[], leaf: number, showsData: boolean): Conversation {
  const conversation = new GrowingConversation(rows, { showsData });
  for (const place of pathTo(rows, leaf)) conversation.add(place);
  return conversation;
}

/** A growing conversation: appending a row costs the same, however many there are. */
export class GrowingConversation implements Conversation {
  leaf = -1;
  readonly path: number[] = [];
  readonly onPath = new Set<number>();
  readonly items: number[] = [];
  readonly resultOf = new Map<string, number>();
  readonly ownerOf = new Map<number, number>();
  readonly decisionOf = new Map<string, Decision>();
  readonly turnOf = new Map<number, number>();
  readonly continuing = new Set<number>();
  readonly totalOf = new Map<number, AnswerTotal>();
  readonly newModels = new Set<number>();
  readonly isPartial: boolean;
  readonly #rows: readonly Row[];
  readonly #showsData: boolean;
  readonly #callers = new Map<string, number>();
  readonly #undecided: { id: string; name: string }[] = [];
  #model: string | undefined;
  /** The answer that is not over yet. */
  #answer: AnswerTotal | undefined;
  #askedAt: number | undefined;

  constructor(rows: readonly Row[], { showsData, isPartial = false }: { showsData: boolean; isPartial?: boolean }) {
    this.#rows = rows;
    this.#showsData = showsData;
    this.isPartial = isPartial;
  }

  /** Whether the next turn continues the answer. */
  get isAnswering(): boolean {
    return this.#answer !== undefined;
  }

  /** The row after the one that was added last. */
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
    this.#count(place, row);
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
      // Its call follows and shows it.
    } else if (this.#showsData || !isBookkeeping(row)) this.items.push(place);
  }

  #count(place: number, row: Row): void {
    if (SPEAKERS.has(row.kind) && !isBookkeeping(row)) this.#answer = undefined;
    if (row.kind === "user") this.#askedAt = row.at;
    if (row.kind !== "assistant") return;
    if (this.#answer) this.continuing.add(place);
    const { turns, tokens, cost } = this.#answer ?? { turns: 0, tokens: 0, cost: 0 };
    const answer = {
      turns: turns + 1,
      tokens: tokens + (row.usage ? tokenSum(row.usage) : 0),
      cost: cost + (row.usage?.[4] ?? 0),
    };
    this.#answer = answer;
    if (row.calls) return;
    const ms = this.#askedAt && row.at >= this.#askedAt ? row.at - this.#askedAt : undefined;
    this.totalOf.set(place, { ...answer, ...(ms !== undefined && { ms }) });
  }
}

/** Entries from anyone else end an answer. */
const SPEAKERS: ReadonlySet<Row["kind"]> = new Set(["user", "note", "shell", "compaction", "branch"]);

export function pathTo(rows: readonly Row[], leaf: number): number[] {
  const path: number[] = [];
  for (let place = leaf; place >= 0; place = (rows[place] as Row).parent) path.push(place);
  return path.reverse();
}

/** A decision applies to the newest change that its tool has staged. */
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

/** Entries that programs write for themselves. They are part of the session but not of the conversation. */
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

/** The newest end of the conversation through this row. */
export function newestLeaf(children: ReadonlyMap<number, readonly number[]>, from: number): number {
  let place = from;
  for (let next = children.get(place); next; next = children.get(place)) place = next.at(-1) as number;
  return place;
}
