// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this is about
/** Commands to a terminal: colours and cursor, titles and links, two-character ones. */
const TERMINAL_COMMAND = /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)/g;
/** Without these most texts need no second look. */
const SUSPICIOUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\udb40]/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
/** They change the order in which a line is read, so that it looks like something that it is not. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** Letters that are not seen and that a model reads. Behind a black flag they choose whose flag it is. */
const TAGS = /(?<![\u{1f3f4}\u{e0000}-\u{e007f}])[\u{e0000}-\u{e007f}]+/gu;
/** One of them chooses how a character looks; several hide bytes. */
const SELECTORS = /[\u{e0100}-\u{e01ef}]{2,}/gu;

/** A text as it may be shown: what acts on a terminal is gone, what would act unseen is visible. */
export function visibleText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text
    .replace(TERMINAL_COMMAND, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROL, picture)
    .replace(DIRECTION, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`)
    .replace(TAGS, (hidden) => `⟨hidden: ${[...hidden].map(tagLetter).join("")}⟩`)
    .replace(SELECTORS, (hidden) => `⟨hidden: ${[...hidden].length} bytes⟩`);
}

function tagLetter(tag: string): string {
  const code = (tag.codePointAt(0) ?? 0) - 0xe0000;
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "·";
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "�";
}
