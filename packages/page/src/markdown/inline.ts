import { safeHref } from "./safe-link.ts";

export type Inline =
  | string
  | { type: "strong" | "em" | "del"; children: Inline[] }
  | { type: "code"; text: string }
  | { type: "link"; href: string; children: Inline[] }
  | { type: "break" };

export interface InlineOptions {
  /** Only code and addresses: for texts that people wrote without thinking of Markdown. */
  isPlain?: boolean;
}

interface Opener {
  /** `*`, `_` and `~` once or twice, or `[`. */
  mark: string;
  /** Where its text stands among the nodes, to be replaced when it is closed. */
  at: number;
}

interface State {
  text: string;
  position: number;
  nodes: Inline[];
  openers: Opener[];
  /** Runs of so many backticks have no other end behind this place. */
  noCodeEnd: Map<number, boolean>;
}

/** Real texts do not nest deeper; a text that seems to is an attack on our time. */
const MOST_OPENERS = 24;
const LONGEST = 100_000;
const SPECIAL = /[\\`*_~[\]<\n!&]|https?:\/\//g;
const PLAIN_SPECIAL = /`|https?:\/\//g;

/** Takes time in proportion to the text, whatever it holds. */
export function parseInline(text: string, { isPlain = false }: InlineOptions = {}): Inline[] {
  if (text.length > LONGEST) return [text];
  const state: State = { text, position: 0, nodes: [], openers: [], noCodeEnd: new Map() };
  const special = new RegExp(isPlain ? PLAIN_SPECIAL : SPECIAL);
  while (state.position < text.length) {
    special.lastIndex = state.position;
    const found = special.exec(text);
    if (!found) break;
    addText(state, text.slice(state.position, found.index));
    state.position = found.index;
    const read = READERS[found[0][0] as string];
    if (!read?.(state)) addText(state, text[state.position++] as string);
  }
  addText(state, text.slice(state.position));
  return state.nodes;
}

/** Each looks at its character, and either goes on behind what it has read or says that it is nothing special. */
const READERS: Record<string, (state: State) => boolean> = {
  "\\": (state) => {
    const next = state.text[state.position + 1] ?? "";
    if (next === "\n") {
      state.nodes.push({ type: "break" });
      state.position += 2;
      return true;
    }
    if (!/[!-/:-@[-`{-~]/.test(next)) return false;
    addText(state, next);
    state.position += 2;
    return true;
  },
  "\n": (state) => {
    const isHard = state.text.endsWith("  ", state.position);
    if (isHard) state.nodes.push({ type: "break" });
    else addText(state, "\n");
    state.position += 1;
    return true;
  },
  "&": readEntity,
  "`": readCode,
  "*": readMark,
  _: readMark,
  "~": (state) => state.text.startsWith("~~", state.position) && readMark(state),
  "!": (state) => {
    // A picture elsewhere: this page loads nothing, so it is a link like others.
    if (state.text[state.position + 1] !== "[") return false;
    state.position += 1;
    return open(state, "[", "![");
  },
  "[": (state) => open(state, "["),
  "]": readLinkEnd,
  "<": (state) => readAddress(state, /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y),
  h: (state) => readAddress(state, /(https?:\/\/[^\s<>"'`]{1,2000})/y),
};

function addText({ nodes }: State, text: string): void {
  if (text === "") return;
  const last = nodes.length - 1;
  // Joining to an opener's text would lose it when the opener is replaced.
  if (typeof nodes[last] === "string" && !isOpenerText(nodes[last])) nodes[last] += text;
  else nodes.push(text);
}

const OPENER_TEXTS = new Set(["*", "**", "_", "__", "~~", "[", "!["]);

/** The length first: to look a long text up, all of it would have to be read, again and again. */
function isOpenerText(text: string): boolean {
  return text.length <= 2 && OPENER_TEXTS.has(text);
}

function open(state: State, mark: string, written = mark): boolean {
  if (state.openers.length >= MOST_OPENERS) state.openers.shift();
  state.openers.push({ mark, at: state.nodes.push(written) - 1 });
  state.position += mark.length;
  return true;
}

function readCode(state: State): boolean {
  const { text, position } = state;
  let end = position;
  while (text[end] === "`") end += 1;
  const ticks = end - position;
  if (state.noCodeEnd.get(ticks)) return skipTicks(state, ticks);
  for (let at = text.indexOf("`", end); at !== -1; ) {
    let close = at;
    while (text[close] === "`") close += 1;
    if (close - at === ticks) {
      const code = text.slice(end, at).replaceAll("\n", " ");
      state.nodes.push({ type: "code", text: /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code });
      state.position = close;
      return true;
    }
    at = text.indexOf("`", close);
  }
  state.noCodeEnd.set(ticks, true);
  return skipTicks(state, ticks);
}

function skipTicks(state: State, ticks: number): boolean {
  addText(state, "`".repeat(ticks));
  state.position += ticks;
  return true;
}

const ENTITIES = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
]);

/** `&lt;` and `&#60;`; they become text like any other. */
function readEntity(state: State): boolean {
  const pattern = /&(?:([a-z]{2,4})|#(\d{1,6})|#x([0-9a-f]{1,5}));/iy;
  pattern.lastIndex = state.position;
  const [whole, name, decimal, hex] = pattern.exec(state.text) ?? [];
  if (whole === undefined) return false;
  const code = Number.parseInt(decimal ?? hex ?? "", hex === undefined ? 10 : 16);
  const character = name === undefined ? String.fromCodePoint(code) : ENTITIES.get(name);
  if (character === undefined) return false;
  addText(state, character.toWellFormed());
  state.position += whole.length;
  return true;
}

function readMark(state: State): boolean {
  const { text, position } = state;
  const character = text[position] as string;
  const isDouble = text[position + 1] === character;
  // Of three, the one that was opened last ends first.
  const endsInner = text[position + 2] === character && state.openers.at(-1)?.mark === character;
  const mark = isDouble && !endsInner ? character + character : character;
  const before = text[position - 1] ?? " ";
  const after = text[position + mark.length] ?? " ";
  const isWord = character === "_" && isWordCharacter(before) && isWordCharacter(after);
  if (isWord) return false;
  const opener = /\s/.test(before) ? -1 : state.openers.findLastIndex((candidate) => candidate.mark === mark);
  if (opener !== -1) {
    state.position += mark.length;
    wrap(state, opener, (children) => ({ type: TYPES[mark] as "em", children }));
    return true;
  }
  const mayOpen = !/\s/.test(after) && !(character === "_" && isWordCharacter(before));
  return mayOpen && open(state, mark);
}

const TYPES: Record<string, "strong" | "em" | "del"> = {
  "**": "strong",
  __: "strong",
  "*": "em",
  _: "em",
  "~~": "del",
};

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}

/** Everything behind the opener becomes one node; openers in between have found no end. */
function wrap(state: State, opener: number, make: (children: Inline[]) => Inline): void {
  const { at } = state.openers[opener] as Opener;
  state.openers.length = opener;
  const children = state.nodes.splice(at + 1);
  state.nodes[at] = make(children);
}

function readLinkEnd(state: State): boolean {
  const opener = state.openers.findLastIndex(({ mark }) => mark === "[");
  if (opener === -1) return false;
  const target =
    /\]\(\s{0,9}(?:<([^<>\n]{0,2000})>|([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,2000})?))(?:\s{1,9}["'(][^"')\n]{0,500}["')])?\s{0,9}\)/y;
  target.lastIndex = state.position;
  const match = target.exec(state.text);
  if (!match) {
    state.openers.splice(opener, 1);
    return false;
  }
  const href = safeHref(match[1] ?? match[2] ?? "");
  state.position += match[0].length;
  // A link that leads nowhere good is shown as what it says.
  wrap(state, opener, (children) =>
    href === undefined ? joined(children, match[1] ?? match[2] ?? "") : { type: "link", href, children },
  );
  return true;
}

function joined(children: Inline[], address: string): Inline {
  return { type: "em", children: [...children, ` (${address})`] };
}

function readAddress(state: State, pattern: RegExp): boolean {
  pattern.lastIndex = state.position;
  const found = pattern.exec(state.text);
  const isBare = state.text[state.position] !== "<";
  const address = isBare ? withoutPunctuation(found?.[1] ?? "") : (found?.[1] ?? "");
  const href = safeHref(address);
  if (!found || href === undefined) return false;
  state.nodes.push({ type: "link", href, children: [address] });
  state.position += isBare ? address.length : found[0].length;
  return true;
}

/** What ends a sentence does not belong to the address in it. */
function withoutPunctuation(address: string): string {
  const trimmed = address.replace(/[.,;:!?*_~\]]{1,20}$/, "");
  return trimmed.endsWith(")") && !trimmed.includes("(") ? trimmed.slice(0, -1) : trimmed;
}
