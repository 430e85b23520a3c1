/** Terminal control, line breaks of every kind, and what turns the direction of text: none belongs in a line of a result. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

const SHORT_FORMS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A file's name on one line that changes nothing around it. */
export function escapeName(name: string): string {
  return name.replace(UNSAFE, (character) => SHORT_FORMS[character] ?? codeForm(character.charCodeAt(0)));
}

function codeForm(code: number): string {
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

export function hasControlCharacter(name: string): boolean {
  return CONTROL.test(name);
}
