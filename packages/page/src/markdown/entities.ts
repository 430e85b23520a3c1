/** Names of the characters from U+00A0 to U+00FF, in order. */
const LATIN = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`.split(/\s/);

/** Other names that people and models write. The rest of HTML's 2,231 names stays as it is written. */
const OTHERS: Readonly<Record<string, string>> = {
  amp: "&",
  AMP: "&",
  lt: "<",
  LT: "<",
  gt: ">",
  GT: ">",
  quot: '"',
  QUOT: '"',
  apos: "'",
  ensp: "\u2002",
  emsp: "\u2003",
  thinsp: "\u2009",
  zwnj: "\u200c",
  zwj: "\u200d",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  bull: "•",
  hellip: "…",
  euro: "€",
  trade: "™",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
  harr: "↔",
  rArr: "⇒",
  hArr: "⇔",
  ne: "≠",
  le: "≤",
  ge: "≥",
  asymp: "≈",
  equiv: "≡",
  infin: "∞",
  sum: "∑",
  prod: "∏",
  radic: "√",
  minus: "−",
  isin: "∈",
  notin: "∉",
  forall: "∀",
  exist: "∃",
  empty: "∅",
  and: "∧",
  or: "∨",
  cap: "∩",
  cup: "∪",
  sub: "⊂",
  alpha: "α",
  beta: "β",
  gamma: "γ",
  delta: "δ",
  Delta: "Δ",
  epsilon: "ε",
  theta: "θ",
  lambda: "λ",
  mu: "μ",
  pi: "π",
  sigma: "σ",
  Sigma: "Σ",
  phi: "φ",
  omega: "ω",
  Omega: "Ω",
  check: "✓",
  cross: "✗",
  lbrace: "{",
  rbrace: "}",
  lbrack: "[",
  rbrack: "]",
  lpar: "(",
  rpar: ")",
  num: "#",
  lowbar: "_",
  ast: "*",
  vert: "|",
  bsol: "\\",
  grave: "`",
};

const CHARACTERS = new Map([
  ...LATIN.map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries(OTHERS),
]);

/** Replaces `&lt;`, `&#60;` and `&#x3c;` by their characters; they are text like any other. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:([a-z][a-z0-9]{1,9})|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, (whole, name, decimal, hex) => {
    if (name !== undefined) return CHARACTERS.get(name) ?? whole;
    return characterAt(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10));
  });
}

/** No text can contain NUL, half a pair of surrogates, or what is above the last character of Unicode. */
function characterAt(code: number): string {
  return code === 0 || code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code).toWellFormed();
}
