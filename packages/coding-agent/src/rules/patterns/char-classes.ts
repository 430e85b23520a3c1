import type { Atom } from "./syntax.ts";

/** A set of characters that no pattern distinguishes. */
export interface CharClass {
  /** For each atom, by index, whether it matches these characters. */
  matches: readonly boolean[];
  /** Equal for classes that are equivalent as the character before a position. */
  behindKey: string;
}

/** Sorts characters into classes when they first appear. Class 0 is that of characters not seen yet. */
export class CharClasses {
  /** The class of each UTF-16 unit. */
  readonly ofUnit = new Uint16Array(0x10000);
  readonly #atoms: readonly Atom[];
  readonly #behindAtoms: readonly number[];
  readonly #classes: (CharClass | undefined)[] = [undefined];
  readonly #bySignature = new Map<string, number>();

  constructor(atoms: readonly Atom[], behindAtoms: Iterable<number>) {
    this.#atoms = atoms;
    this.#behindAtoms = [...behindAtoms];
  }

  get count(): number {
    return this.#classes.length;
  }

  get(charClass: number): CharClass {
    return this.#classes[charClass]!;
  }

  classify(unit: number): number {
    const known = this.ofUnit[unit]!;
    if (known > 0) return known;
    const char = String.fromCharCode(unit);
    const matches = this.#atoms.map((atom) => atom.matches(char));
    const signature = matches.map(Number).join("");
    let charClass = this.#bySignature.get(signature);
    if (charClass === undefined) {
      const behindKey = this.#behindAtoms.map((atom) => Number(matches[atom])).join("");
      charClass = this.#classes.push({ matches, behindKey }) - 1;
      this.#bySignature.set(signature, charClass);
    }
    this.ofUnit[unit] = charClass;
    return charClass;
  }
}
