import type { SampleEdit } from "./sample-edits.ts";

export interface Spoiled {
  /** The file, if it differs from the sample's. */
  file?: string;
  oldText: string;
  newText: string;
  /** The expected result, if it differs from that of the sample's own edit. */
  expected?: string;
}

/** A way in which a model gets an edit almost right. Returns undefined if it makes no difference to this edit. */
export interface Mutation {
  kind: string;
  spoil(sample: SampleEdit): Spoiled | undefined;
}

type Change = (text: string) => string;

/** Corrupts both strings in the same way, or only the old one. */
function both(kind: string, change: Change): Mutation[] {
  return [
    { kind, spoil: ({ oldText, newText }) => ({ oldText: change(oldText), newText: change(newText) }) },
    { kind: `${kind}, old text only`, spoil: ({ oldText, newText }) => ({ oldText: change(oldText), newText }) },
  ];
}

const lines =
  (change: (line: string, index: number) => string): Change =>
  (text) =>
    text
      .split("\n")
      .map((line, index) => (line === "" ? line : change(line, index)))
      .join("\n");

const tabsToSpaces = (width: number) =>
  lines((line) => line.replace(/^\t+/, (tabs) => " ".repeat(width * tabs.length)));
const spacesToTabs = (width: number) =>
  lines((line) =>
    line.replace(/^ +/, (spaces) => "\t".repeat(Math.floor(spaces.length / width)) + " ".repeat(spaces.length % width)),
  );
const commonIndent = (text: string) => {
  const indents = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => /^[ \t]*/.exec(line)![0]);
  return indents.reduce(
    (common, indent) => (indent.startsWith(common) ? common : common.slice(0, commonLength(common, indent))),
    indents[0] ?? "",
  );
};
const commonLength = (a: string, b: string) => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};
const plainQuotes: Change = (text) => text.replaceAll(/[“”]/g, '"').replaceAll(/[‘’]/g, "'");
const curlyQuotes: Change = (text) =>
  text
    .replaceAll(/(^|[\s([{=:,])"/gm, "$1“")
    .replaceAll('"', "”")
    .replaceAll(/(^|[\s([{=:,])'/gm, "$1‘")
    .replaceAll("'", "’");

function numbered(sample: SampleEdit, format: (number: number, line: string) => string): Spoiled {
  const first = sample.file.slice(0, sample.file.indexOf(sample.oldText)).split("\n").length;
  const number = (text: string) =>
    text
      .split("\n")
      .map((line, index, all) => (line === "" && index === all.length - 1 ? line : format(first + index, line)))
      .join("\n");
  return { oldText: number(sample.oldText), newText: number(sample.newText) };
}

function dedent(sample: SampleEdit): Spoiled | undefined {
  const indent = commonIndent(sample.oldText);
  if (indent === "" || !commonIndent(sample.newText).startsWith(indent)) return undefined;
  const cut = lines((line) => line.slice(indent.length));
  return { oldText: cut(sample.oldText), newText: cut(sample.newText) };
}

function inFile(sample: SampleEdit, change: Change): Spoiled {
  const at = sample.file.indexOf(sample.oldText);
  const [before, after] = [sample.file.slice(0, at), sample.file.slice(at + sample.oldText.length)];
  const [changedBefore, changedAfter] = [change(before), change(after)];
  return {
    file: changedBefore + change(sample.oldText) + changedAfter,
    oldText: sample.oldText,
    newText: sample.newText,
    expected: changedBefore + change(sample.newText) + changedAfter,
  };
}

const LISTINGS: readonly [name: string, format: (number: number, line: string) => string][] = [
  ["12│", (number, line) => `${number}│${line}`],
  ["12│ ", (number, line) => `${number}│ ${line}`],
  ["   12│", (number, line) => `${String(number).padStart(5)}│${line}`],
  ["12:", (number, line) => `${number}:${line}`],
  ["12: ", (number, line) => `${number}: ${line}`],
  ["   12→", (number, line) => `${String(number).padStart(6)}→${line}`],
  ["   12 tab", (number, line) => `${String(number).padStart(6)}\t${line}`],
  ["12 | ", (number, line) => `${number} | ${line}`],
];

const addIndent = (indent: string) => lines((line) => indent + line);
const doubleBlanks: Change = (text) => text.replaceAll(/\n\n+/g, (breaks) => `${breaks}\n`);
const dropBlanks: Change = (text) => text.replaceAll(/\n\n+/g, "\n");
const trailing: Change = lines((line, index) => (index % 2 === 0 ? `${line}  ` : line));
const halfIndent: Change = lines((line) => line.replace(/^ +/, (spaces) => " ".repeat(spaces.length / 2)));
const doubleIndent: Change = lines((line) => line.replace(/^ +/, (spaces) => spaces.repeat(2)));
const collapse: Change = lines((line) => line.replaceAll(/(?<=\S) {2,}(?=\S)/g, " "));
const tightCommas: Change = lines((line) => line.replaceAll(/, (?=\S)/g, ","));
const looseParens: Change = lines((line) => line.replaceAll(/\((?=\w)/g, "( ").replaceAll(/(?<=\w)\)/g, " )"));
const tightOperators: Change = lines((line) => line.replaceAll(/ (=|<|>|\+=|=>|-=) /g, "$1"));
const doubleSpace: Change = lines((line) => line.replace(/(?<=\S) (?=\S)/, "  "));

export const MUTATIONS: readonly Mutation[] = [
  { kind: "as it is", spoil: ({ oldText, newText }) => ({ oldText, newText }) },
  { kind: "block indented less", spoil: dedent },
  {
    kind: "block indented less, old text only",
    spoil: (sample) => {
      const cut = dedent(sample);
      return cut && { ...cut, newText: sample.newText };
    },
  },
  ...both("block indented 2 more", addIndent("  ")),
  ...both("block indented 4 more", addIndent("    ")),
  ...both("block indented a tab more", addIndent("\t")),
  ...[2, 4, 8].flatMap((width) => both(`tabs as ${width} spaces`, tabsToSpaces(width))),
  ...[2, 4].flatMap((width) => both(`${width} spaces as tabs`, spacesToTabs(width))),
  ...both("half the indentation", halfIndent),
  ...both("double indentation", doubleIndent),
  ...both("first line without indentation", (text) => text.replace(/^[ \t]+/, "")),
  ...both("trailing blanks", trailing),
  { kind: "trailing blanks in the file", spoil: (sample) => trailingInFile(sample) },
  ...both("empty lines doubled", doubleBlanks),
  ...both("empty lines missing", dropBlanks),
  ...both("empty line before", (text) => `\n${text}`),
  ...both("empty lines around", (text) => `\n\n${text}\n\n`),
  ...both("newline at the end", (text) => `${text}\n`),
  { kind: "CRLF file", spoil: (sample) => inFile(sample, (text) => text.replaceAll("\n", "\r\n")) },
  ...both("CRLF texts", (text) => text.replaceAll("\n", "\r\n")),
  ...both("spaces collapsed", collapse),
  ...both("no space after commas", tightCommas),
  ...both("spaces in parentheses", looseParens),
  ...both("no spaces around operators", tightOperators),
  ...both("a space doubled", doubleSpace),
  ...both("plain quotes", plainQuotes),
  ...both("curly quotes", curlyQuotes),
  ...both("plain dashes", (text) => text.replaceAll(/[–—]/g, "-")),
  ...both("plain spaces", (text) => text.replaceAll("\u00a0", " ")),
  ...both(
    "odd spaces",
    lines((line) => line.replace(/(?<=\S) (?=\S)/g, "\u00a0")),
  ),
  ...both("NFD", (text) => text.normalize("NFD")),
  { kind: "NFD file", spoil: (sample) => inFile(sample, (text) => text.normalize("NFD")) },
  ...LISTINGS.map(
    ([name, format]): Mutation => ({ kind: `line numbers ${name}`, spoil: (sample) => numbered(sample, format) }),
  ),
  ...LISTINGS.slice(0, 3).map(
    ([name, format]): Mutation => ({
      kind: `line numbers ${name}, old text only`,
      spoil: (sample) => ({ ...numbered(sample, format), newText: sample.newText }),
    }),
  ),
  ...both("escaped breaks", (text) => text.replaceAll("\n", "\\n")),
  ...both("escaped quotes", (text) => text.replaceAll('"', '\\"')),
  ...both("escaped as JSON", (text) => JSON.stringify(text).slice(1, -1)),
  ...both("HTML entities", (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  ),
  // Applies several at once.
  ...both("plain quotes, dashes and spaces", (text) =>
    plainQuotes(text).replaceAll(/[–—]/g, "-").replaceAll("\u00a0", " "),
  ),
  ...both("trailing blanks and 2 more", (text) => addIndent("  ")(trailing(text))),
  ...both("tabs as spaces and empty lines doubled", (text) => doubleBlanks(tabsToSpaces(4)(text))),
  {
    kind: "CRLF file, indented less",
    spoil: (sample) => {
      const cut = dedent(sample);
      return cut && { ...inFile(sample, (text) => text.replaceAll("\n", "\r\n")), ...cut };
    },
  },
  {
    kind: "line numbers and tabs as spaces",
    spoil: (sample) => numbered(sample, (number, line) => `${number}: ${tabsToSpaces(4)(line)}`),
  },
  {
    kind: "line numbers and plain quotes",
    spoil: (sample) => numbered(sample, (number, line) => `${number}│${plainQuotes(line)}`),
  },
  ...both("escaped breaks, plain quotes", (text) => plainQuotes(text).replaceAll("\n", "\\n")),
  // Without a comma in the old text, the file's comma style is unknown.
  ...both("4 more and no space after commas", (text) => addIndent("    ")(tightCommas(text))).map(
    ({ kind, spoil }): Mutation => ({
      kind,
      spoil: (sample) => (tightCommas(sample.oldText) === sample.oldText ? undefined : spoil(sample)),
    }),
  ),
];

/** Unchanged lines keep their blanks, changed lines lose them. */
function trailingInFile(sample: SampleEdit): Spoiled | undefined {
  const { file, oldText, newText } = sample;
  const at = file.indexOf(oldText);
  const [before, after] = [file.slice(0, at), file.slice(at + oldText.length)];
  if (!oldText.endsWith("\n") || (at > 0 && file[at - 1] !== "\n")) return undefined;
  const kept = new Set(oldText.split("\n"));
  const blank = (line: string) => (line === "" ? "" : `${line} \t`);
  const spoil = (text: string, isKept: (line: string) => boolean) =>
    text
      .split("\n")
      .map((line) => (isKept(line) ? blank(line) : line))
      .join("\n");
  return {
    file: before + spoil(oldText, () => true) + after,
    oldText,
    newText,
    expected: before + spoil(newText, (line) => kept.has(line)) + after,
  };
}
