import { copyButton } from "../copy/copy-button.ts";
import { type Child, h, replaceChildren } from "../dom.ts";
import { awaitHighlighting, highlighted } from "./highlighting.ts";
import { moreButton } from "./more-button.ts";

export interface CodeOptions {
  language?: string;
  /** Number of the first line; without it, lines have no numbers. */
  firstLine?: number;
  /** How many lines are shown at first, and from which side. */
  lines?: number;
  side?: "start" | "end";
  className?: string;
  label?: string;
}

const DEFAULT_LINES = 60;
/** Longer lines would push everything else off the page. */
const LONGEST_LINE = 2_000;
const MOST_CHARACTERS = 60_000;
/** Lines that each click adds. */
const GROWTH = 10;

/** Shows code or output. Long content is shown in part, and the rest on request. */
export function codeBlock(text: string, options: CodeOptions = {}): HTMLElement {
  const trimmed = text.replace(/\n+$/, "");
  const { language, className = "", label } = options;
  const frame = h("div", {
    class: `code ${className}`,
    // Drawn by the style sheet, because it is not part of the text.
    "data-language": label === undefined && language ? language : undefined,
  });
  const copy = copyButton(label?.toLowerCase() === "command" ? "command" : "code", () => trimmed);
  let growth = 1;
  const show = () => replaceChildren(frame, codeContent(trimmed, options, growth, more), copy);
  const more = () => {
    growth *= GROWTH;
    show();
  };
  show();
  if (language) awaitHighlighting(language, show);
  return frame;
}

function codeContent(text: string, options: CodeOptions, growth: number, more: () => void): Child {
  const { side = "start", language = "", firstLine } = options;
  const lines = text.split("\n");
  const mostLines = (options.lines ?? DEFAULT_LINES) * growth;
  const cut = cutLines(lines, { side, mostLines, longest: LONGEST_LINE * growth, most: MOST_CHARACTERS * growth });
  const first =
    firstLine === undefined ? undefined : firstLine + (side === "end" ? lines.length - cut.lines.length : 0);
  const body = h(
    "div",
    { class: "code-body", tabindex: 0, role: "group", "aria-label": options.label ?? "Code" },
    first !== undefined &&
      h("pre", { class: "numbers", "aria-hidden": "true" }, cut.lines.map((_, index) => first + index).join("\n")),
    h("pre", {}, h("code", {}, tokens(cut.lines.join("\n"), language))),
  );
  const button = cut.note !== "" && moreButton(cut.note, more);
  return side === "end" ? [button, body] : [body, button];
}

function tokens(code: string, language: string): Child {
  return highlighted(code, language).map(([kind, text]) => (kind ? h("span", { class: `t-${kind}` }, text) : text));
}

interface Limits {
  side: "start" | "end";
  mostLines: number;
  longest: number;
  most: number;
}

function cutLines(
  all: readonly string[],
  { side, mostLines, longest, most }: Limits,
): { lines: string[]; note: string } {
  const isEnd = side === "end";
  const wanted = isEnd ? all.slice(-mostLines) : all.slice(0, mostLines);
  const lines: string[] = [];
  let characters = 0;
  let cutCharacters = 0;
  for (const line of isEnd ? wanted.reverse() : wanted) {
    if (characters >= most) break;
    const shown = line.length > longest ? `${line.slice(0, longest)}…` : line;
    cutCharacters += line.length > longest ? line.length - longest : 0;
    characters += shown.length;
    lines.push(shown);
  }
  if (isEnd) lines.reverse();
  const hidden = all.length - lines.length;
  const parts = [
    ...(hidden > 0
      ? [`${hidden.toLocaleString()} ${isEnd ? "earlier" : "more"} ${hidden === 1 ? "line" : "lines"}`]
      : []),
    ...(cutCharacters > 0 ? [`${cutCharacters.toLocaleString()} characters of long lines`] : []),
  ];
  return { lines, note: parts.join(" and ") };
}
