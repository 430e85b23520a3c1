import { decodePrintableKey, isKeyRelease } from "@earendil-works/pi-tui/dist/keys.js";

const PASTE = "\u001b[200~";
/** What a terminal sends without a key: answers to queries, reports of focus and mouse. Anything else is taken for a key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
const REPORT = /^\u001b(?:[\]P_^]|\[[?>=<M]|\[\d+(?:;\d+)*[cRtn]$|\[[IO]$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
const SEQUENCE = /\u001b(?:\[[\d;:?<>=]*[^\d;:?<>=]|O.|.)?/gs;
const CONTROL = /^\p{Cc}*$/u;

export function isKeyPress(data: string): boolean {
  return !isKeyRelease(data) && !REPORT.test(data);
}

/** Returns true for a printable character or a paste: text for a message, not an answer to a list. */
export function isText(data: string): boolean {
  if (data.startsWith(PASTE) || decodePrintableKey(data) !== undefined) return true;
  return !data.startsWith("\u001b") && !CONTROL.test(data);
}

/** Returns true if one read from the terminal holds characters besides keys such as enter and the arrows. */
export function hasText(read: string): boolean {
  return read.includes(PASTE) || !CONTROL.test(read.replace(SEQUENCE, ""));
}
