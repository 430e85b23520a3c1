import type { Atom, EdgeTest, PatternNode } from "./syntax.ts";

/** A place in a pattern, and its transitions. */
interface Place {
  /** Index of the atom that must match next, and the place after it. */
  atom: number;
  to: number;
  /** Places reached without reading a character. */
  free: number[];
  /** Places reached without reading a character if the neighbouring characters pass a test. */
  edges: { atom: number; test: EdgeTest; to: number }[];
  /** The pattern that matches here. */
  accepts: number | undefined;
}

const NO_ATOM = -1;
const ANYTHING: Atom = { key: "anything", matches: () => true };

const PAIR: readonly Atom[] = [
  { key: "first of a pair", matches: (char) => char >= "\ud800" && char <= "\udbff" },
  { key: "second of a pair", matches: (char) => char >= "\udc00" && char <= "\udfff" },
];

/** Patterns as one graph: input that leads from `start` to an accepting position contains the pattern. */
export class PatternGraph {
  readonly places: Place[] = [];
  readonly atoms: Atom[] = [];
  readonly start: number;
  /** Atoms that test the character before a place. */
  readonly behindAtoms = new Set<number>();
  readonly #atomIndex = new Map<string, number>();

  constructor(patterns: readonly PatternNode[]) {
    const starts = patterns.map((pattern, index) => this.#build(pattern, this.#add({ accepts: index })));
    this.start = this.#add({ free: starts });
  }

  /** Builds a node. Returns the place from which it leads to `next`. */
  #build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "atom":
        return this.#add({
          atom: this.#indexOf(node.atom),
          to: next,
          free: node.orPair ? [PAIR.reduceRight((to, unit) => this.#add({ atom: this.#indexOf(unit), to }), next)] : [],
        });
      case "edge":
        return this.#buildEdge(node.test, next);
      case "look": // assumed to match: RegExp confirms the result
        return next;
      case "backreference":
        return this.#loop(next, (loop) => this.#add({ atom: this.#indexOf(ANYTHING), to: loop }));
      case "all":
        return node.parts.reduceRight((to, part) => this.#build(part, to), next);
      case "any":
        return this.#add({ free: node.options.map((option) => this.#build(option, next)) });
      case "repeat":
        return this.#buildRepeat(node, next);
    }
  }

  #buildEdge(test: EdgeTest, next: number): number {
    const atom = this.#indexOf(test.atom);
    if (test.where !== "ahead") this.behindAtoms.add(atom);
    return this.#add({ edges: [{ atom, test, to: next }] });
  }

  #buildRepeat({ body, min, max }: Extract<PatternNode, { kind: "repeat" }>, next: number): number {
    const isOpen = max === Number.POSITIVE_INFINITY;
    let entry = isOpen ? this.#loop(next, (loop) => this.#build(body, loop)) : next;
    for (let count = min; !isOpen && count < max; count += 1) {
      entry = this.#add({ free: [this.#build(body, entry), next] });
    }
    for (let count = 0; count < min; count += 1) entry = this.#build(body, entry);
    return entry;
  }

  #loop(next: number, build: (loop: number) => number): number {
    const loop = this.#add({});
    this.places[loop]!.free = [build(loop), next];
    return loop;
  }

  #add(place: Partial<Place>): number {
    this.places.push({ atom: NO_ATOM, to: NO_ATOM, free: [], edges: [], accepts: undefined, ...place });
    return this.places.length - 1;
  }

  #indexOf(atom: Atom): number {
    let index = this.#atomIndex.get(atom.key);
    if (index === undefined) {
      index = this.atoms.push(atom) - 1;
      this.#atomIndex.set(atom.key, index);
    }
    return index;
  }
}
