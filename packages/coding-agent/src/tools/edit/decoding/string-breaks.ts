/** Quotes, and what may stand between them. Three quotes may span lines. */
const PARTS = /"""|'''|\\\\|\\n|\\t|\n|["'`]/g;

/** `\n` between quotes or in a regular expression is the program's own. */
export function hasOwnBreak(text: string): boolean {
  return walk(text).some(
    ({ part, quote, start }) => part === "\\n" && (quote !== undefined || isInPattern(text, start)),
  );
}

/** With `\n` and `\t` decoded where they are not in a string; undefined if that cannot be told. */
export function breaksOutsideStrings(text: string): string | undefined {
  const pieces: string[] = [];
  let at = 0;
  for (const { part, quote, start } of walk(text)) {
    if ((part !== "\\n" && part !== "\\t") || quote === '"' || quote === "'") continue;
    if (quote === "`") return undefined; // such strings may have real line breaks as well
    if (isInPattern(text, start)) return undefined;
    pieces.push(text.slice(at, start), part === "\\n" ? "\n" : "\t");
    at = start + part.length;
  }
  return pieces.join("") + text.slice(at);
}

/** Before the end of a regular expression, as in `/a\n/g;`, or in a class of characters, as in `[^\n]`. */
function isInPattern(text: string, start: number): boolean {
  return (
    text.endsWith("[^", start) || /^\\[nt]\$?\/[dgimsuvy]*(?:[.,;)\]}]|\\n|\n|$)/.test(text.slice(start, start + 16))
  );
}

interface Step {
  part: string;
  start: number;
  /** The quote that is open at this part. */
  quote: string | undefined;
}

function walk(text: string): Step[] {
  const steps: Step[] = [];
  let quote: string | undefined;
  for (const { 0: part, index: start } of text.matchAll(PARTS)) {
    steps.push({ part, start, quote });
    const isApostrophe = part === "'" && isLetter(text[start - 1]) && isLetter(text[start + 1]);
    if (part === "\n" || (part === "\\n" && quote === undefined)) quote = undefined;
    else if (part.length === 1 && !isApostrophe) quote = quote === part ? undefined : (quote ?? part);
  }
  return steps;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\p{L}/u.test(character);
}
