/** Thrown at the end of the text. */
const END = Symbol("end of text");

type JsonObject = Record<string, unknown>;

/**
 * Returns the object that the beginning of a JSON document shows so far: complete values, and truncated ones as far as
 * possible. Returns undefined if it is not an object.
 */
export function parsePartialObject(text: string): JsonObject | undefined {
  const start = text.search(/\S/);
  if (text[start] !== "{") return undefined;
  try {
    return new PartialParser(text, start).object();
  } catch {
    return undefined; // not JSON, or nested too deeply
  }
}

class PartialParser {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  object(): JsonObject {
    const object: JsonObject = {};
    this.#items("}", () => {
      const key = this.#string();
      this.#space();
      this.#at += 1; // skip the colon
      // Like JSON.parse, treat `__proto__` as an ordinary key.
      Object.defineProperty(object, key, {
        value: this.#value(),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    });
    return object;
  }

  #array(): unknown[] {
    const array: unknown[] = [];
    this.#items("]", () => array.push(this.#value()));
    return array;
  }

  /** Reads items up to the closing bracket or the end of the text. */
  #items(close: string, read: () => void): void {
    this.#at += 1;
    try {
      for (this.#space(); this.#text[this.#at] !== close; this.#space()) {
        read();
        this.#space();
        if (this.#text[this.#at] === ",") this.#at += 1;
      }
    } catch (error) {
      if (error !== END) throw error;
    }
    this.#at += 1;
  }

  #value(): unknown {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '"') return this.#string();
    if (first === "{") return this.object();
    if (first === "[") return this.#array();
    return this.#word();
  }

  #string(): string {
    if (this.#text[this.#at] !== '"') throw new SyntaxError("a string was expected");
    const start = this.#at;
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    this.#at = end + 1;
    if (end < this.#text.length) return JSON.parse(this.#text.slice(start, end + 1));
    const cut = this.#text.slice(start);
    try {
      return JSON.parse(`${cut}"`);
    } catch {
      return JSON.parse(`${cut.slice(0, cut.lastIndexOf("\\"))}"`); // drop an escape that is cut off
    }
  }

  /** Reads a number, `true`, `false` or `null`, which may be cut off. */
  #word(): unknown {
    const word = /[^\s,\]}]*/y;
    word.lastIndex = this.#at;
    const text = word.exec(this.#text)?.[0] ?? "";
    if (text === "") throw new SyntaxError("a value was expected");
    this.#at += text.length;
    const isCut = this.#at === this.#text.length;
    const full = isCut ? ["null", "true", "false"].find((candidate) => candidate.startsWith(text)) : undefined;
    const number = isCut ? text.replace(/(?<=\d)[eE][+-]?$/, "") : text;
    if (full === undefined && isCut && /[-.]$/.test(number)) throw END; // no digit of it is known yet
    return JSON.parse(full ?? number);
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    if (this.#at >= this.#text.length) throw END;
  }
}
