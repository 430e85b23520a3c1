import { type CharClass, CharClasses } from "./char-classes.ts";
import { PatternGraph } from "./graph.ts";
import { GraphWalk } from "./graph-walk.ts";
import type { PatternNode } from "./syntax.ts";

/** The state after the text read so far. */
export interface ScanState {
  /** Patterns whose match has just become certain. */
  readonly accepts: readonly number[];
  readonly places: readonly number[];
  /** The class of the last character; undefined at the beginning. */
  readonly behind: CharClass | undefined;
  /** Its row in the table, unless the table was reset. */
  row: number;
}

const MAX_ROWS = 4_096;
const FIRST_ROWS = 64;

/**
 * Searches for many patterns at once and reads each character once. The work per character is constant: it depends neither on the
 * length of the text nor on how it is split, and no pattern can make it slow. States are created when a text first reaches them.
 */
export class PatternAutomaton {
  readonly start: ScanState;
  readonly #walk: GraphWalk;
  readonly #classes: CharClasses;
  readonly #byKey = new Map<string, ScanState>();
  #rows: ScanState[] = [];
  /** Maps row × class of the next character to the row of the next state: negative if that state accepts, 0 if unknown. */
  #table = new Int32Array(0);
  /** Classes per row, as a power of two. */
  #shift = 7;

  constructor(patterns: readonly PatternNode[]) {
    const graph = new PatternGraph(patterns);
    this.#walk = new GraphWalk(graph);
    this.#classes = new CharClasses(graph.atoms, graph.behindAtoms);
    this.#clear();
    this.start = this.#stateOf(this.#walk.begin(), undefined);
  }

  /** Continues reading. `onAccept` is called for accepting states; never for input without matches. */
  read(from: ScanState, text: string, onAccept: (patterns: readonly number[]) => void): ScanState {
    const { ofUnit } = this.#classes;
    let row = this.#rowOf(from);
    let table = this.#table;
    let shift = this.#shift;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      let next = table[(row << shift) | ofUnit[unit]!]!;
      if (next <= 0) {
        if (next === 0) {
          next = this.#step(this.#rows[row]!, unit);
          table = this.#table;
          shift = this.#shift;
        }
        if (next < 0) {
          next = -next;
          onAccept(this.#rows[next]!.accepts);
        }
      }
      row = next;
    }
    return this.#rows[row]!;
  }

  /** Returns the patterns that match because the text ends here. */
  end({ places, behind }: ScanState): readonly number[] {
    return this.#walk.step(places, behind, undefined).accepts;
  }

  /** Returns the entry of the table. */
  #step(state: ScanState, unit: number): number {
    const charClass = this.#classes.classify(unit);
    if (charClass >> this.#shift > 0) {
      this.#shift += 1;
      this.#clear();
    }
    const ahead = this.#classes.get(charClass);
    const next = this.#stateOf(this.#walk.step(state.places, state.behind, ahead), ahead);
    const entry = next.accepts.length > 0 ? -next.row : next.row;
    this.#table[(this.#rowOf(state) << this.#shift) | charClass] = entry;
    return entry;
  }

  #stateOf({ places, accepts }: Pick<ScanState, "places" | "accepts">, behind: CharClass | undefined): ScanState {
    const key = `${places}|${behind?.behindKey}|${accepts}`;
    let state = this.#byKey.get(key);
    if (!state) {
      state = { places, accepts, behind, row: 0 };
      this.#addRow(state);
      this.#byKey.set(key, state);
    }
    return state;
  }

  #rowOf(state: ScanState): number {
    if (this.#rows[state.row] !== state) this.#addRow(state);
    return state.row;
  }

  #addRow(state: ScanState): void {
    // Input that keeps producing new states must not exhaust memory. Keeps space for the state that leads here.
    if (this.#rows.length >= MAX_ROWS) this.#clear();
    state.row = this.#rows.push(state) - 1;
    if (this.#rows.length << this.#shift <= this.#table.length) return;
    const larger = new Int32Array(this.#table.length * 2);
    larger.set(this.#table);
    this.#table = larger;
  }

  #clear(): void {
    this.#byKey.clear();
    this.#rows = [{ places: [], accepts: [], behind: undefined, row: 0 }]; // row 0 means unknown
    this.#table = new Int32Array(FIRST_ROWS << this.#shift);
  }
}
