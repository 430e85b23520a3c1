// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this is about
/** Terminal control sequences: colors and cursor, titles and links, two-character ones. */
const TERMINAL_COMMAND = /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)/g;
/** Without these, most strings need no further check. */
const SUSPICIOUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\udb40]/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
/** Bidirectional control characters, which can disguise a line. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** Invisible tag letters, which a model can read. After a black flag, they select a country's flag. */
const TAGS = /(?<![\u{1f3f4}\u{e0000}-\u{e007f}])[\u{e0000}-\u{e007f}]+/gu;
/** Variation selectors: a single one selects a glyph, several can hide data. */
const SELECTORS = /[\u{e0100}-\u{e01ef}]{2,}/gu;

/** Returns text as it may be shown: terminal control sequences are removed, and invisible characters become visible. */
export function visibleText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text
    .replace(TERMINAL_COMMAND, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROL, picture)
    .replace(DIRECTION, codeOf)
    .replace(TAGS, (hidden) => `⟨hidden: ${[...hidden].map(tagLetter).join("")}⟩`)
    .replace(SELECTORS, (hidden) => `⟨hidden: ${[...hidden].length} bytes⟩`);
}

/**
 * Returns a copy of a value in which every character that hides, reorders or moves text is shown by its code. Use it
 * for what a user decides on: a shell runs the rest of a line that a terminal would treat as its window title, so
 * nothing may be left out.
 */
export function exactly<T>(value: T): T {
  if (typeof value === "string") return exactText(value) as T;
  if (Array.isArray(value)) return value.map(exactly) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [exactText(name), exactly(part)])) as T;
}

function exactText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{C}\n\t]/gu, codeOf);
}

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`;
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
