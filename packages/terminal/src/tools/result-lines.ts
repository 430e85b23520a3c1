import type { AgentToolResult } from "@pintle/client";
import { languageByName, languageOfFile } from "@pintle/highlight";
import { codeRows } from "../code/code-rows.ts";
import { tokenLines } from "../code/fence-highlighter.ts";
import type { Highlighting } from "../code/highlighting.ts";
import type { Theme } from "../screen/theme.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { type DiffCounts, DiffRows } from "./diff-rows.ts";
import { todoCounts } from "./todo-lines.ts";

/** Laid-out lines of a result. */
export type Rows = (width: number) => string[];

export interface ShortResult {
  rows: Rows;
  /** Whether something was left out. */
  isFolded: boolean;
  /** Belongs to the title of the call: how much changed. */
  counts?: string | undefined;
}

/** Tools whose last lines matter more than their first ones. */
const COMMANDS: ReadonlySet<string> = new Set(["bash", "!"]);
const MAX_LINES = 6;
const MAX_DIFF_LINES = 24;
const MAX_LINE_CHARACTERS = 1_000;

export function resultText({ content }: Pick<AgentToolResult, "content">): string {
  return content.map((block) => (block.type === "text" ? block.text : `[image ${block.mimeType}]`)).join("\n");
}

export interface ResultLook {
  theme: Theme;
  highlighting: Highlighting;
  /** Follows the number of lines that are left out. */
  expandHint: string;
}

/** Returns what of a result is worth a few lines: a diff, the start of a new file, else its first lines; of a command the last. */
export function shortResult(toolName: string, args: unknown, result: AgentToolResult, look: ResultLook): ShortResult {
  const { theme, expandHint } = look;
  const todos = isRecord(result.details) ? todoCounts(result.details.phases) : undefined;
  if (todos !== undefined) return { rows: () => [], isFolded: false, counts: todos };
  const whole = wholeResult(toolName, args, result);
  const more = (count: number) => theme.dim(`… ${count} more ${count === 1 ? "line" : "lines"}${expandHint}`);
  if (whole.kind === "diff") {
    const diff = new DiffRows(whole.text, theme);
    const { hidden } = diff.short(80, MAX_DIFF_LINES);
    const rows: Rows = (width) => [...diff.short(width, MAX_DIFF_LINES).rows, ...(hidden > 0 ? [more(hidden)] : [])];
    return { rows, isFolded: hidden > 0, counts: countsText(diff.counts) };
  }
  const lines = whole.text.trimEnd().split("\n");
  const counts = whole.kind === "file" ? countsText({ added: lines.length, removed: 0 }) : undefined;
  if (lines.length === 1 && lines[0] === "") return { rows: () => [], isFolded: false, counts };
  const hidden = lines.length - MAX_LINES;
  const isEnd = COMMANDS.has(toolName);
  const shown = (isEnd ? lines.slice(-MAX_LINES) : lines.slice(0, MAX_LINES)).map((line) =>
    line.slice(0, MAX_LINE_CHARACTERS),
  );
  const part = textRows({ ...whole, text: shown.join("\n") }, look);
  if (hidden <= 0) return { rows: part, isFolded: false, counts };
  const rows: Rows = (width) => (isEnd ? [more(hidden), ...part(width)] : [...part(width), more(hidden)]);
  return { rows, isFolded: true, counts };
}

interface WholeResult {
  text: string;
  kind: "diff" | "file" | "text";
  /** The language of a file, by its name. */
  language?: string;
}

/** Returns all of a result: the diff, the content of a new file, else the text. */
export function wholeResult(toolName: string, args: unknown, result: AgentToolResult): WholeResult {
  const { diff, created } = isRecord(result.details) ? result.details : {};
  if (typeof diff === "string" && diff !== "") return { text: diff, kind: "diff" };
  const { content, path } = toolName === "write" && created === true && isRecord(args) ? args : {};
  if (typeof content === "string" && content.trim() !== "")
    return { text: content, kind: "file", language: languageOfFile(String(path)) };
  return { text: resultText(result), kind: "text" };
}

/** Lays out all of a result. */
export function wholeRows(toolName: string, args: unknown, result: AgentToolResult, look: ResultLook): Rows {
  const whole = wholeResult(toolName, args, result);
  if (whole.kind !== "diff") return textRows(whole, look);
  const diff = new DiffRows(whole.text, look.theme);
  return (width) => diff.all(width);
}

function textRows({ text, language = "" }: WholeResult, { theme, highlighting }: ResultLook): Rows {
  const shown = shownText(text.trimEnd());
  const isCode = languageByName(language) !== undefined;
  return (width) => {
    const { highlight } = highlighting;
    if (!highlight || !isCode) return shown.split("\n").flatMap((line) => wrapped(theme.dim(line), width));
    return tokenLines(highlight(shown, language)).flatMap((line) => codeRows(line, width, theme));
  };
}

function countsText({ added, removed }: DiffCounts): string {
  return [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(" ");
}
