/** Splits arguments into words. Quotes preserve spaces. There are no escapes, and an unclosed quote extends to the end. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of text) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

const PLACEHOLDER = /\$\{@:(\d+)(?::(\d+))?\}|\$ARGUMENTS|\$@|\$(\d+)/g;

/**
 * Replaces `$1`, `$2` and so on by single arguments, `$@` or `$ARGUMENTS` by all, `${@:N}` by those from the Nth on, and
 * `${@:N:L}` by L of them. Works in one pass, so that inserted values are never expanded again. Appends the arguments to a
 * template without any of these.
 */
export function fillTemplate(text: string, args: string): string {
  const words = splitArguments(args);
  let isFilled = false;
  const filled = text.replace(PLACEHOLDER, (_, from?: string, length?: string, index?: string) => {
    isFilled = true;
    if (index !== undefined) return words[Number(index) - 1] ?? "";
    const start = Math.max(0, Number(from ?? 1) - 1);
    return words.slice(start, length === undefined ? undefined : start + Number(length)).join(" ");
  });
  return isFilled || args.trim() === "" ? filled : `${filled.trimEnd()}\n\n${args.trim()}`;
}
