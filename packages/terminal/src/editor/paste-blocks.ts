const MAX_LINES = 10;
const MAX_CHARACTERS = 1_000;
const MARK = /\[paste #(\d+) [^\]\n]*\]/g;

/** Stores long pastes. The editor shows a mark in their place. */
export class PasteBlocks {
  readonly #texts = new Map<string, string>();

  /** Returns what the editor shows: a short text as it is, the mark of a long one. */
  shorten(text: string): string {
    const lines = text.split("\n").length;
    if (lines <= MAX_LINES && text.length <= MAX_CHARACTERS) return text;
    const id = String(this.#texts.size + 1);
    this.#texts.set(id, text);
    return `[paste #${id} ${lines > MAX_LINES ? `+${lines} lines` : `${text.length} chars`}]`;
  }

  /** Replaces each mark by what was pasted. */
  expand(text: string): string {
    return text.replace(MARK, (mark, id: string) => this.#texts.get(id) ?? mark);
  }
}
