/** The last items of a request may look different in the next one: cache marks move, and an item may be extended. */
const UNSETTLED = 4;

/** Writes a list as JSON again and again, and keeps the text of the items that stay. They are compared by identity. */
export class GrowingList {
  #items: unknown[] = [];
  #text = "";

  write(items: readonly unknown[]): string {
    if (!this.#items.every((item, index) => item === items[index])) {
      this.#items = [];
      this.#text = "";
    }
    const settled = Math.max(this.#items.length, items.length - UNSETTLED);
    const added = items.slice(this.#items.length, settled);
    this.#text = join(this.#text, withoutBrackets(added));
    for (const item of added) this.#items.push(item);
    return `[${join(this.#text, withoutBrackets(items.slice(settled)))}]`;
  }
}

function withoutBrackets(items: readonly unknown[]): string {
  return toWellFormedJson(items).slice(1, -1);
}

function join(before: string, after: string): string {
  return before === "" || after === "" ? before + after : `${before},${after}`;
}

/**
 * Vendors refuse half a surrogate pair, so a conversation that contains one, for example in truncated output, could not
 * continue.
 */
export function toWellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? part.toWellFormed() : part));
}
