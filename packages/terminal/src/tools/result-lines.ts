import type { AgentToolResult } from "@pintle/client";
import type { Theme } from "../screen/theme.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { todoLines } from "./todo-lines.ts";

/** A result in short, and whether something was left out. */
export interface ShortResult {
  lines: string[];
  isFolded: boolean;
}

/** What they say last counts. */
const COMMANDS: ReadonlySet<string> = new Set(["bash", "!"]);
const MAX_LINES = 6;
const MAX_DIFF_LINES = 40;
const MAX_LINE_CHARACTERS = 1_000;

export function resultText({ content }: Pick<AgentToolResult, "content">): string {
  return content.map((block) => (block.type === "text" ? block.text : `[image ${block.mimeType}]`)).join("\n");
}

export interface ShortParts {
  theme: Theme;
  /** Follows the number of lines that are left out. */
  expandHint: string;
}

/** What of a result is worth a few lines: the todo list, the difference, else its first lines; of a command the last. */
export function shortResult(
  toolName: string,
  args: unknown,
  result: AgentToolResult,
  { theme, expandHint }: ShortParts,
): ShortResult {
  const details = isRecord(result.details) ? result.details : {};
  const todos = todoLines(details.phases, theme);
  if (todos) return { lines: todos, isFolded: false };
  const { text, isDiff } = wholeResult(toolName, args, result);
  if (isDiff) return shortDiff(text, theme, expandHint);
  const lines = text.trimEnd().split("\n");
  if (lines.length === 1 && lines[0] === "") return { lines: [], isFolded: false };
  const isFolded = lines.length > MAX_LINES;
  const count = `… ${lines.length - MAX_LINES} more lines${expandHint}`;
  const shown = (part: string[]) => part.map((line) => theme.dim(shownText(line.slice(0, MAX_LINE_CHARACTERS))));
  if (!isFolded) return { lines: shown(lines), isFolded };
  if (COMMANDS.has(toolName)) return { lines: [theme.dim(count), ...shown(lines.slice(-MAX_LINES))], isFolded };
  return { lines: [...shown(lines.slice(0, MAX_LINES)), theme.dim(count)], isFolded };
}

/** Returns all of a result: the difference, the content of a new file, else the text. */
export function wholeResult(
  toolName: string,
  args: unknown,
  result: AgentToolResult,
): { text: string; isDiff: boolean } {
  const { diff, created } = isRecord(result.details) ? result.details : {};
  if (typeof diff === "string" && diff !== "") return { text: diff, isDiff: true };
  const content = toolName === "write" && created === true && isRecord(args) ? args.content : undefined;
  if (typeof content === "string" && content.trim() !== "") return { text: content, isDiff: false };
  return { text: resultText(result), isDiff: false };
}

/** All of a result as lines. */
export function wholeLines(toolName: string, args: unknown, result: AgentToolResult, theme: Theme): string[] {
  const { text, isDiff } = wholeResult(toolName, args, result);
  if (isDiff) return wholeDiff(text, theme);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => theme.dim(shownText(line)));
}

/** A difference in short. */
export function diffLines(diff: string, theme: Theme): string[] {
  return shortDiff(diff, theme, "").lines;
}

/** All of a difference. */
export function wholeDiff(diff: string, theme: Theme): string[] {
  return diff
    .trimEnd()
    .split("\n")
    .map((line) => diffStyle(line, theme)(shownText(line)));
}

function shortDiff(diff: string, theme: Theme, expandHint: string): ShortResult {
  const lines = wholeDiff(diff, theme);
  const isFolded = lines.length > MAX_DIFF_LINES;
  const more = theme.dim(`… ${lines.length - MAX_DIFF_LINES} more lines${expandHint}`);
  return { lines: isFolded ? [...lines.slice(0, MAX_DIFF_LINES), more] : lines, isFolded };
}

function diffStyle(line: string, theme: Theme) {
  if (line.startsWith("+")) return theme.added;
  return line.startsWith("-") ? theme.removed : theme.dim;
}
