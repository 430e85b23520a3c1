/** Where a text stops being JSON, for people: both count from 1. */
export interface Place {
  line: number;
  column: number;
}

/** For a text that `JSON.parse` has refused; the engine does not say where. Needs no stack, however deep the text is. */
export function findJsonFault(text: string): Place {
  const before = text.slice(0, faultOffset(text));
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
}

const SPACE = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON does not allow in a string
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

/** What may come next. */
type State = "value" | "first-item" | "first-key" | "key" | "colon" | "after";

function faultOffset(text: string): number {
  const open: ("{" | "[")[] = [];
  let state: State = "value";
  let at = end(SPACE, text, 0) ?? 0;
  for (;;) {
    const sign = text[at];
    if (state === "colon") {
      if (sign !== ":") return at;
      at += 1;
      state = "value";
    } else if (state === "after") {
      const inside = open.at(-1);
      if (inside === undefined) return at; // a text behind the end, or there was no fault
      if (sign === ",") state = inside === "{" ? "key" : "value";
      else if (sign === (inside === "{" ? "}" : "]")) open.pop();
      else return at;
      at += 1;
    } else if ((state === "first-key" && sign === "}") || (state === "first-item" && sign === "]")) {
      open.pop();
      at += 1;
      state = "after";
    } else if (state === "key" || state === "first-key") {
      const behind = end(STRING, text, at);
      if (behind === undefined) return at;
      at = behind;
      state = "colon";
    } else if (sign === "{" || sign === "[") {
      open.push(sign);
      at += 1;
      state = sign === "{" ? "first-key" : "first-item";
    } else {
      const behind = end(STRING, text, at) ?? end(SCALAR, text, at);
      if (behind === undefined) return at;
      at = behind;
      state = "after";
    }
    at = end(SPACE, text, at) ?? at;
  }
}

function end(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
