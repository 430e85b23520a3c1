/** More is not looked at while it comes; the end of it is with the entry. */
const MOST = 40_000;

/** What a terminal would show: a carriage return begins the last line anew. One at the end waits for what comes behind it. */
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
