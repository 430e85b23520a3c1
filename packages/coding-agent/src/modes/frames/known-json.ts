/** A placeholder in a frame for text that is inserted later. No other process can guess it. */
const PLACE = `known-json-${crypto.randomUUID()}`;

/** Text for the placeholders of the frame that is being written, in order. */
let texts: string[] | undefined;

/** A value that is serialized once, for values that are sent often and rarely change. */
export class KnownJson {
  readonly #text: string;

  /** `text` is the JSON as it may appear in a frame. */
  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): unknown {
    if (!texts) return JSON.parse(this.#text); // for other code that serializes the frame
    texts.push(this.#text);
    return PLACE;
  }
}

export interface JsonWithPlaces {
  json: string;
  /** Text for its placeholders. */
  texts: readonly string[];
}

/** Returns the JSON that `stringify` produces, with a placeholder for each known text. */
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
