const MAX_LINES = 10;
const MAX_CHARACTERS = 1_000;
const MARK = /\[paste #(\d+) [^\]\n]*\]/g;

/** Stores long pastes; the editor shows a placeholder instead. */
export class PasteBlocks {
  readonly #texts = new Map<string, string>();

  /** Returns a short paste unchanged and a placeholder for a long one. */
  shorten(text: string): string {
    const lines = text.split("\n").length;
    if (lines <= MAX_LINES && text.length <= MAX_CHARACTERS) return text;
    const id = String(this.#texts.size + 1);
    this.#texts.set(id, text);
    return `[paste #${id} ${lines > MAX_LINES ? `+${lines} lines` : `${text.length} chars`}]`;
  }

  /** Replaces each placeholder with its paste. */
  expand(text: string): string {
    return text.replace(MARK, (mark, id: string) => this.#texts.get(id) ?? mark);
  }
}
