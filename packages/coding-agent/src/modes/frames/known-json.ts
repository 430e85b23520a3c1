/** A placeholder in a frame for text that is inserted afterwards; it cannot be guessed outside this process. */
const PLACE = `known-json-${crypto.randomUUID()}`;

/** Text for the placeholders in the frame that is being written, in order. */
let texts: string[] | undefined;

/** A value whose JSON is made once, for what is sent often and changes seldom. */
export class KnownJson {
  readonly #text: string;

  /** `text`: as it may appear in a frame. */
  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): unknown {
    if (!texts) return JSON.parse(this.#text); // for other code that makes JSON of the frame
    texts.push(this.#text);
    return PLACE;
  }
}

export interface JsonWithPlaces {
  json: string;
  /** What belongs into its places. */
  texts: readonly string[];
}

/** The JSON that `stringify` makes, with a place for each known text. */
export function withPlaces(stringify: () => string): JsonWithPlaces {
  const found: string[] = [];
  texts = found;
  try {
    return { json: stringify(), texts: found };
  } finally {
    texts = undefined;
  }
}

export function fillPlaces({ json, texts }: JsonWithPlaces): string {
  if (texts.length === 0) return json;
  const next = texts.values();
  return json.replaceAll(`"${PLACE}"`, () => next.next().value ?? "null");
}
