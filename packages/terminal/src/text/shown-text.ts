// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const TAB = "    ";

/**
 * A text of a model, a tool or a file as it may be written to the terminal: its control characters become visible signs, so no
 * sequence in it can move the cursor, set a title, write to the clipboard or turn the direction of the text around.
 */
export function shownText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\t", TAB).replace(CONTROLS, sign);
}

function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code); // ␛ and the like
  return code === 0x7f ? "␡" : "�";
}
