import type { AgentToolResult } from "@pintle/client";
import type { Theme } from "../screen/theme.ts";
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

/** What of a result is worth a few lines: the todo list, the difference, else its first lines; of a command the last. */
export function shortResult(toolName: string, result: AgentToolResult, theme: Theme): ShortResult {
  const details: Readonly<Record<string, unknown>> =
    typeof result.details === "object" && result.details !== null ? { ...result.details } : {};
  const todos = todoLines(details.phases, theme);
  if (todos) return { lines: todos, isFolded: false };
  if (typeof details.diff === "string" && details.diff !== "") return shortDiff(details.diff, theme);
  const lines = resultText(result).trimEnd().split("\n");
  if (lines.length === 1 && lines[0] === "") return { lines: [], isFolded: false };
  const isFolded = lines.length > MAX_LINES;
  const count = `… ${lines.length - MAX_LINES} more lines`;
  const style = result.isError ? theme.failure : theme.dim;
  const shown = (part: string[]) => part.map((line) => style(shownText(line.slice(0, MAX_LINE_CHARACTERS))));
  if (!isFolded) return { lines: shown(lines), isFolded };
  if (COMMANDS.has(toolName)) return { lines: [theme.dim(count), ...shown(lines.slice(-MAX_LINES))], isFolded };
  return { lines: [...shown(lines.slice(0, MAX_LINES)), theme.dim(count)], isFolded };
}

/** All of a result. */
export function wholeResult(result: AgentToolResult): { text: string; isDiff: boolean } {
  const { details } = result;
  const diff = typeof details === "object" && details !== null && "diff" in details ? details.diff : undefined;
  return typeof diff === "string" && diff !== ""
    ? { text: diff, isDiff: true }
    : { text: resultText(result), isDiff: false };
}

/** All of a result as lines. */
export function wholeLines(result: AgentToolResult, theme: Theme): string[] {
  const { text, isDiff } = wholeResult(result);
  const plain = result.isError ? theme.failure : theme.dim;
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => (isDiff ? diffStyle(line, theme) : plain)(shownText(line)));
}

/** A difference in short. */
export function diffLines(diff: string, theme: Theme): string[] {
  return shortDiff(diff, theme).lines;
}

function shortDiff(diff: string, theme: Theme): ShortResult {
  const lines = diff.trimEnd().split("\n");
  const isFolded = lines.length > MAX_DIFF_LINES;
  const shown = lines.slice(0, MAX_DIFF_LINES).map((line) => diffStyle(line, theme)(shownText(line)));
  return {
    lines: isFolded ? [...shown, theme.dim(`… ${lines.length - MAX_DIFF_LINES} more lines`)] : shown,
    isFolded,
  };
}

function diffStyle(line: string, theme: Theme) {
  if (line.startsWith("+")) return theme.added;
  return line.startsWith("-") ? theme.removed : theme.dim;
}
