// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL_CHARACTERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]+/g;

/** Text of a file as a model or host may see it: line ends are newlines, and of the control characters only tab is left. */
export function stripControlCharacters(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROL_CHARACTERS, "");
}
