import { PASTE_END, PASTE_START } from "./input-splitter.ts";
import { isRelease, keyName, normalKey, typedText } from "./key-name.ts";

/** Matches input that is not a key: answers to queries, focus and mouse reports. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
const REPORT = /^\u001b(?:[\]P_^]|\[[?>=<M]|\[\d+(?:;\d+)*[cRtn]$|\[[IO]$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
const SEQUENCE = /\u001b(?:\[[\d;:?<>=]*[^\d;:?<>=]|O.|.)?/gs;
const CONTROL = /^\p{Cc}*$/u;

export function isKeyPress(data: string): boolean {
  return !isRelease(data) && !REPORT.test(data);
}

export function isKey(data: string, name: string): boolean {
  return keyName(data) === normalKey(name);
}

/** Returns the text inside a bracketed paste, or undefined if the input is not one. */
export function pastedText(data: string): string | undefined {
  return data.startsWith(PASTE_START) ? data.slice(PASTE_START.length, -PASTE_END.length) : undefined;
}

/** Returns true for a printable character or a paste: text for a message, not an answer to a list. */
export function isText(data: string): boolean {
  if (data.startsWith(PASTE_START) || typedText(data) !== undefined) return true;
  return !data.startsWith("\u001b") && !CONTROL.test(data);
}

/** Returns true if one read from the terminal holds characters besides keys such as enter and the arrows. */
export function hasText(read: string): boolean {
  return read.includes(PASTE_START) || !CONTROL.test(read.replace(SEQUENCE, ""));
}
