import type { Lexer, Token } from "marked";

type Extensions = NonNullable<Lexer["options"]["extensions"]>;

/** Longer formulas are treated as text, because the search for an end needs a limit. */
const INLINE_MATH =
  /^(?:\$\$([^$]{1,1000})\$\$|\$(?![\s$])((?:\\.|[^$\\\n]){1,300})(?<!\s)\$(?![\d$])|\\\((?!\\[^a-z])(.{1,300}?)\\\)|\\\[(?!\\[^a-z])([\s\S]{1,1000}?)\\\])/i;
const BLOCK_MATH =
  /^ {0,3}(?:\$\$[ \t]*\n([\s\S]{1,4000}?)\n {0,3}\$\$|\\\[[ \t]*\n([\s\S]{1,4000}?)\n {0,3}\\\])[ \t]*(?:\n|$)/;
const REFERENCE = /^\[\^([^\]\s]{1,40})\](?![(:])/;
/** The note continues on lines that are not blank, unless they begin another note. */
const NOTE = /^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]*((?:[^\n]+)(?:\n(?! {0,3}\[\^)(?![ \t]*\n)[^\n]+)*)(?:\n|$)/;

// Called for every token of a message that is being streamed; most begin with none of these.
const BLOCK_BEGINNING = /^ {0,3}[$\\[]/;
const INLINE_BEGINNINGS: ReadonlySet<number> = new Set(["$", "\\", "["].map((mark) => mark.charCodeAt(0)));

interface Parts {
  /** Called where a block starts. */
  noteStart(src: string): void;
  inline(text: string): Token[];
}

/**
 * Formulas are shown as written, because Markdown would interpret parts of them as syntax. Footnote marks are raised numbers, in
 * the text and before the note.
 */
export function mathAndFootnotes({ noteStart, inline }: Parts): Extensions {
  const block = (src: string): Token | undefined => {
    if (!BLOCK_BEGINNING.test(src)) return undefined;
    const math = BLOCK_MATH.exec(src);
    const note = math ? null : NOTE.exec(src);
    const found = math ?? note;
    if (!found) return undefined;
    noteStart(src);
    const [raw, first = "", second] = found;
    if (math) return { type: "code", raw, lang: "latex", text: first || (second ?? "") };
    const mark: Token = { type: "text", raw: "", text: `${raised(first)} ` };
    return { type: "paragraph", raw, text: second ?? "", tokens: [mark, ...inline(second ?? "")] };
  };
  const inlineToken = (src: string): Token | undefined => {
    if (!INLINE_BEGINNINGS.has(src.charCodeAt(0))) return undefined;
    const [raw, ...formulas] = INLINE_MATH.exec(src) ?? [];
    if (raw !== undefined)
      return { type: "codespan", raw, text: formulas.find((text) => text !== undefined)?.trim() ?? "" };
    const [reference, label = ""] = REFERENCE.exec(src) ?? [];
    return reference === undefined ? undefined : { type: "text", raw: reference, text: raised(label) };
  };
  const startOf = (src: string) => {
    const at = src.search(/\$|\\[([]|\[\^/);
    return at === -1 ? undefined : at;
  };
  return { renderers: {}, childTokens: {}, block: [block], inline: [inlineToken], startInline: [startOf] };
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number as raised digits; any other label stays in brackets. */
function raised(label: string): string {
  return /^\d+$/.test(label) ? label.replace(/\d/g, (digit) => RAISED[Number(digit)] ?? digit) : `[${label}]`;
}
