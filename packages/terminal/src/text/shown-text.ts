const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const TAB = "    ";

/**
 * Returns text of a model, tool or file in a form that is safe to write to the terminal: control characters become
 * visible, so no sequence in it can move the cursor, set a title, write to the clipboard, reverse the text direction or
 * hide itself.
 */
export function shownText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\t", TAB).replace(CONTROLS, sign);
}

function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code); // visible symbols such as ␛
  return code === 0x7f ? "␡" : "�";
}
