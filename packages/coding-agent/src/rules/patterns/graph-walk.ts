import type { CharClass } from "./char-classes.ts";
import type { PatternGraph } from "./graph.ts";
import type { EdgeTest } from "./syntax.ts";

/** A set of places in the graph, without those that are reached for free, and the patterns matched on the way. */
interface Front {
  places: readonly number[];
  accepts: readonly number[];
}

const NOWHERE: Front = { places: [], accepts: [] };

/** Steps through a graph character by character. A pattern may start anywhere, so each step also starts all of them. */
export class GraphWalk {
  readonly #graph: PatternGraph;
  /** For each place, what is reached from it for free. */
  readonly #closures = new Map<number, Front>();
  /** The places from which all patterns start, by the characters before and after. */
  readonly #beginnings = new Map<string | undefined, Map<CharClass | undefined, Front>>();

  constructor(graph: PatternGraph) {
    this.#graph = graph;
  }

  begin(): Front {
    return { places: [], accepts: this.#closureOf(this.#graph.start).accepts };
  }

  /** Reads the character `ahead`. Without one, finds the patterns that match at the end of the text. */
  step(places: readonly number[], behind: CharClass | undefined, ahead: CharClass | undefined): Front {
    const begun = this.#beginningOf(behind, ahead);
    if (places.length === 0) return begun;
    return merge([this.#advance(places, behind, ahead), begun]);
  }

  #beginningOf(behind: CharClass | undefined, ahead: CharClass | undefined): Front {
    const byAhead = this.#beginnings.get(behind?.behindKey) ?? new Map<CharClass | undefined, Front>();
    this.#beginnings.set(behind?.behindKey, byAhead);
    let front = byAhead.get(ahead);
    if (!front) {
      front = this.#advance(this.#closureOf(this.#graph.start).places, behind, ahead);
      byAhead.set(ahead, front);
    }
    return front;
  }

  #advance(places: readonly number[], behind: CharClass | undefined, ahead: CharClass | undefined): Front {
    const passed = this.#passEdges(places, behind, ahead);
    const moved = passed.places.flatMap((index) => {
      const { atom, to } = this.#graph.places[index]!;
      return ahead?.matches[atom] ? [this.#closureOf(to)] : [];
    });
    return merge([...moved, { places: [], accepts: passed.accepts }]);
  }

  /** Evaluates conditions on the characters on both sides, which are known now. */
  #passEdges(places: readonly number[], behind: CharClass | undefined, ahead: CharClass | undefined): Front {
    const reached = new Set(places);
    const accepts: number[] = [];
    for (const index of reached) {
      for (const { atom, test, to } of this.#graph.places[index]!.edges) {
        if (!holds(test, factOf(behind, atom, test), factOf(ahead, atom, test))) continue;
        const further = this.#closureOf(to);
        for (const place of further.places) reached.add(place);
        accepts.push(...further.accepts);
      }
    }
    return { places: [...reached], accepts };
  }

  #closureOf(start: number): Front {
    let front = this.#closures.get(start);
    if (!front) {
      const reached = new Set([start]);
      for (const index of reached) for (const to of this.#graph.places[index]!.free) reached.add(to);
      const places = [...reached].map((index) => ({ index, ...this.#graph.places[index]! }));
      front = {
        places: places.filter(({ atom, edges }) => atom >= 0 || edges.length > 0).map(({ index }) => index),
        accepts: places.flatMap(({ accepts }) => accepts ?? []),
      };
      this.#closures.set(start, front);
    }
    return front;
  }
}

/** Merges fronts. Sorts the result, so that equal fronts compare equal. */
function merge(fronts: readonly Front[]): Front {
  const [only = NOWHERE] = fronts;
  if (fronts.length <= 1) return only;
  const unite = (lists: (readonly number[])[]) => [...new Set(lists.flat())].sort((a, b) => a - b);
  return { places: unite(fronts.map(({ places }) => places)), accepts: unite(fronts.map(({ accepts }) => accepts)) };
}

function factOf(neighbour: CharClass | undefined, atom: number, { atEdge }: EdgeTest): boolean {
  return neighbour ? neighbour.matches[atom]! : atEdge;
}

function holds({ where, isNegated }: EdgeTest, behind: boolean, ahead: boolean): boolean {
  const value = where === "both" ? behind !== ahead : where === "behind" ? behind : ahead;
  return value !== isNegated;
}
