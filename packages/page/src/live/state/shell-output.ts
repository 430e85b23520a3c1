/** More output is not shown while it arrives; the entry has its end. */
const MOST = 40_000;

/**
 * Returns what a terminal would show: a carriage return overwrites the last line. One at the end takes effect only when
 * more text follows.
 */
export function growOutput(output: string, delta: string): string {
  const [kept, added] = output.endsWith("\r") ? [output.slice(0, -1), `\r${delta}`] : [output, delta];
  const [first = "", ...anew] = added.replaceAll("\r\n", "\n").split("\r");
  let text = kept + first;
  for (const [at, piece] of anew.entries()) {
    if (piece !== "") text = text.slice(0, text.lastIndexOf("\n") + 1) + piece;
    else if (at === anew.length - 1) text += "\r";
  }
  return text.slice(-MOST);
}
