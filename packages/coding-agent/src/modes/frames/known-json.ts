/** Stands in a frame for a text that is put in afterwards; nobody outside of this process can have guessed it. */
const PLACE = `known-json-${crypto.randomUUID()}`;

/** Texts for the places in the frame that is being written, in order. */
let texts: string[] | undefined;

/** A value whose JSON is made once, for what is sent often and changes seldom. */
export class KnownJson {
  readonly #text: string;

  constructor(value: unknown) {
    this.#text = JSON.stringify(value);
  }

  toJSON(): unknown {
    if (!texts) return JSON.parse(this.#text); // for whoever else makes JSON of the frame
    texts.push(this.#text);
    return PLACE;
  }
}

/** The JSON that `stringify` makes, with every known text in its place. */
export function withKnownTexts(stringify: () => string): string {
  const found: string[] = [];
  texts = found;
  try {
    const json = stringify();
    return found.length === 0 ? json : json.replaceAll(`"${PLACE}"`, () => found.shift() ?? "null");
  } finally {
    texts = undefined;
  }
}
