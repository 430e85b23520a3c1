import { copyButton } from "../copy/copy-button.ts";
import { type Child, h } from "../dom.ts";
import { type DiffPair, pairLines } from "./diff-model.ts";
import { moreButton } from "./more-button.ts";
import type { DiffLine } from "./parse-diff.ts";

const MOST_PAIRS = 300;
const LONGEST_LINE = 1_000;

/** Shows the old and new text side by side or, where that does not fit, one below the other. */
export function diffView(lines: readonly DiffLine[]): HTMLElement {
  const pairs = pairLines(lines);
  const frame = h("div", { class: "diff", tabindex: 0, role: "group", "aria-label": "Changes" });
  let shown = 0;
  const show = (count: number) => {
    frame.append(...pairs.slice(shown, shown + count).map(pairElement));
    shown = Math.min(pairs.length, shown + count);
    const left = pairs.length - shown;
    if (left === 0) return;
    const button = moreButton(`${left.toLocaleString()} more lines`, () => {
      button.remove();
      show(count * 10);
    });
    frame.append(button);
  };
  show(MOST_PAIRS);
  return h(
    "div",
    { class: "diff-frame" },
    frame,
    copyButton("diff", () => diffText(lines)),
  );
}

const SIGNS: Partial<Record<DiffLine["kind"], string>> = { added: "+", removed: "-", same: " " };

/** Returns the change as a diff, with a sign before each line. */
export function diffText(lines: readonly DiffLine[]): string {
  return lines.map(({ kind, text }) => `${SIGNS[kind] ?? ""}${text}`).join("\n");
}

export function diffCounts(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

function pairElement(pair: DiffPair): HTMLElement {
  if (pair.kind === "gap") return h("div", { class: "diff-gap" }, pair.after?.text || "⋯");
  if (pair.kind === "file") return h("div", { class: "diff-file" }, pair.after?.text);
  const { before, after } = pair;
  const change = pair.kind === "change" && before && after ? changedPart(before.text, after.text) : undefined;
  const isSame = pair.kind === "same";
  return h(
    "div",
    { class: `diff-row ${pair.kind}${before ? "" : " only-new"}${after ? "" : " only-old"}` },
    half("old", before, isSame ? "span" : "del", change && [change.start, change.oldEnd]),
    half("new", after, isSame ? "span" : "ins", change && [change.start, change.newEnd]),
  );
}

function half(
  name: "old" | "new",
  line: DiffPair["before"],
  tag: "span" | "del" | "ins",
  part: readonly [number, number] | undefined,
): Child {
  const isEmpty = line === undefined;
  return [
    h("span", { class: `number ${name}${isEmpty ? " none" : ""}`, "aria-hidden": "true" }, line?.number ?? ""),
    h(
      isEmpty ? "span" : tag,
      { class: `line ${name}${isEmpty ? " none" : ""}` },
      isEmpty ? "" : marked(line.text, part),
    ),
  ];
}

function marked(whole: string, part: readonly [number, number] | undefined): Child {
  const text = whole.length > LONGEST_LINE ? `${whole.slice(0, LONGEST_LINE)}…` : whole;
  if (!part || part[0] >= part[1] || part[1] > text.length) return text;
  return [text.slice(0, part[0]), h("mark", {}, text.slice(part[0], part[1])), text.slice(part[1])];
}

/** Returns the differing middle part, or undefined if most of the line differs. */
function changedPart(a: string, b: string): { start: number; oldEnd: number; newEnd: number } | undefined {
  const shortest = Math.min(a.length, b.length);
  let start = 0;
  while (start < shortest && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shortest - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const isWorthIt = start + end > 0.3 * Math.max(a.length, b.length);
  if (!isWorthIt) return undefined;
  // Extends to whole words.
  while (start > 0 && (isInWord(a, start) || isInWord(b, start))) start -= 1;
  while (end > 0 && (isInWord(a, a.length - end) || isInWord(b, b.length - end))) end -= 1;
  return { start, oldEnd: a.length - end, newEnd: b.length - end };
}

/** Between two characters of a name. */
function isInWord(text: string, at: number): boolean {
  return /\w/.test(text[at - 1] ?? "") && /\w/.test(text[at] ?? "");
}
