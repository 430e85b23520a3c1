import type { AgentMessage } from "@pintle/agent";
import type { ContextItem } from "../size/context-items.ts";

/** The roles at which the kept part may begin, and whether a turn begins there too. */
const CUT_ROLES: { [R in AgentMessage["role"]]?: "turn" | "inside" } = {
  user: "turn",
  bashExecution: "turn",
  custom: "turn",
  branchSummary: "turn",
  developer: "inside",
  assistant: "inside",
  fileMention: "inside",
};

export interface Cut {
  /** The messages that the summary replaces. */
  history: ContextItem[];
  /** The beginning of the turn whose end is kept; empty when no turn is split. */
  turnPrefix: ContextItem[];
  kept: ContextItem[];
}

/** Finds places to cut one conversation. Prepared once, so that several sizes can be tried in linear time. */
export class CutFinder {
  readonly #items: readonly ContextItem[];
  readonly #isCut: boolean[];

  constructor(items: readonly ContextItem[]) {
    this.#items = items;
    this.#isCut = cutPlaces(items);
  }

  /**
   * Keeps about `keep` tokens of the newest messages; 0 keeps nothing. Returns undefined if there is nothing to
   * summarize.
   */
  cut(keep: number): Cut | undefined {
    const at = keep <= 0 ? this.#items.length : this.#place(keep);
    return at > 0 ? this.#split(at) : undefined;
  }

  #place(keep: number): number {
    const reached = this.#reach(keep);
    if (reached < 0) return 0;
    for (let at = reached; at < this.#items.length; at += 1) if (this.#isCut[at]) return at;
    for (let at = reached - 1; at > 0; at -= 1) if (this.#isCut[at]) return at;
    return 0;
  }

  /** Returns the newest message from which on there are at least `keep` tokens, or -1 if all messages together have fewer. */
  #reach(keep: number): number {
    let sum = 0;
    for (let at = this.#items.length - 1; at >= 0; at -= 1) {
      sum += this.#items[at]?.tokens ?? 0;
      if (sum >= keep) return at;
    }
    return -1;
  }

  #split(at: number): Cut {
    const kept = this.#items.slice(at);
    const turn = kept.length === 0 ? at : this.#turnStart(at);
    return { history: this.#items.slice(0, turn), turnPrefix: this.#items.slice(turn, at), kept };
  }

  /** Returns where the turn starts. If its beginning was summarized before, the rest is treated as history. */
  #turnStart(at: number): number {
    for (let start = at; start >= 0; start -= 1) {
      const role = this.#items[start]?.message.role;
      if (role && CUT_ROLES[role] === "turn") return start;
    }
    return at;
  }
}

/** Returns the places to cut: by role, and never between a call and its result. */
function cutPlaces(items: readonly ContextItem[]): boolean[] {
  const lastResults = resultPlaces(items);
  let openUntil = -1;
  return items.map(({ message }, at) => {
    const isCut = CUT_ROLES[message.role] !== undefined && at > openUntil;
    openUntil = Math.max(openUntil, lastResults.get(at) ?? -1);
    return isCut;
  });
}

/** Returns the position of the last result for each message with calls. */
function resultPlaces(items: readonly ContextItem[]): Map<number, number> {
  const callers = new Map<string, number>();
  const last = new Map<number, number>();
  for (const [at, { message }] of items.entries()) {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") callers.set(block.id, at);
    } else if (message.role === "toolResult") {
      const caller = callers.get(message.toolCallId);
      if (caller !== undefined) last.set(caller, at);
    }
  }
  return last;
}
