// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL_CHARACTERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]+/g;

/** Converts CRLF to LF and removes control characters except tabs, for text that a model or host receives. */
export function stripControlCharacters(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROL_CHARACTERS, "");
}

/**
 * Control characters, all kinds of line breaks and changes of text direction, which would affect other lines of a result.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

const SHORT_FORMS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Escapes a file name so that it stays on one line and does not affect the text around it. */
export function escapeName(name: string): string {
  return name.replace(UNSAFE, (character) => SHORT_FORMS[character] ?? codeForm(character.charCodeAt(0)));
}

function codeForm(code: number): string {
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

export function hasControlCharacter(name: string): boolean {
  return CONTROL.test(name);
}
