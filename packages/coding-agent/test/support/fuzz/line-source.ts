import { strayReply } from "./host-replies.ts";
import { illegalLine, wrongFields } from "./illegal-lines.ts";
import type { Knowledge } from "./knowledge.ts";
import { legalCommand } from "./legal-frames.ts";
import type { Random } from "./random.ts";

/** The lines of a host that behaves at random. */
export class LineSource {
  readonly #random: Random;
  readonly #knowledge: Knowledge;
  #lines = 0;

  constructor(random: Random, knowledge: Knowledge) {
    this.#random = random;
    this.#knowledge = knowledge;
  }

  /** Without its LF. */
  next(): Uint8Array {
    const random = this.#random;
    this.#lines += 1;
    if (random.chance(0.25)) return illegalLine(random);
    if (random.chance(0.08)) return Buffer.from(JSON.stringify(strayReply(random)));
    const frame = JSON.stringify({ ...this.#id(), ...this.#command() });
    return Buffer.from(random.chance(0.05) ? `${frame}\r` : frame);
  }

  #command(): Record<string, unknown> {
    const random = this.#random;
    const legal = legalCommand({ random, knowledge: this.#knowledge, mark: `#${this.#lines}#` });
    // Makes sure that the shell runs only intended commands.
    return legal.type !== "bash" && random.chance(0.1) ? wrongFields(legal, random) : legal;
  }

  #id(): { id?: unknown } {
    const { pick, chance } = this.#random;
    return chance(0.9)
      ? { id: `unique ${this.#lines}` }
      : pick<{ id?: unknown }>([{}, { id: 7 }, { id: null }, { id: { a: 1 } }, { id: "same" }]);
  }
}
