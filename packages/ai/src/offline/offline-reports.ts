import { textsOf } from "../content.ts";
import type { ToolResultMessage } from "../messages.ts";
import { count, fenced, firstLine, quote, some } from "./offline-wording.ts";

// Describes the result of a tool. Looks only at its text, because that is what a model receives.

const HEAD_LINES = 10;
const TAIL_LINES = 10;
const NAMES = 50;
const FILES = 30;

type Result = Pick<ToolResultMessage, "content" | "isError">;

/** Tools state what they omitted in brackets, after an empty line. */
function splitNotices(text: string): { lines: string[]; notices: string[] } {
  const lines = text.trimEnd() === "" ? [] : text.trimEnd().split("\n");
  let end = lines.length;
  while (end > 0 && /^\[.*\]$/.test(lines[end - 1] ?? "")) end -= 1;
  const isApart = end === 0 || lines[end - 1]?.trim() === "";
  if (end === lines.length || !isApart) return { lines, notices: [] };
  return { lines: lines.slice(0, Math.max(0, end - 1)), notices: lines.slice(end) };
}

function read(result: Result): { lines: string[]; notices: string[] } {
  return splitNotices(textsOf(result.content).join("\n"));
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

export function reportList(path: string | undefined, result: Result): string {
  const { lines, notices } = read(result);
  const place = path === undefined ? "This directory" : quote(path);
  if (lines.length === 0 || lines[0] === "(empty directory)") return `${place} is empty.`;
  const names = some(lines, NAMES).join(", ");
  return paragraphs(`${place} has ${count(lines.length, "entry", "entries")}: ${names}`, ...notices);
}

export function reportRead(path: string, result: Result): string {
  if (result.content.some((block) => block.type === "image")) return `${quote(path)} is an image, which I cannot see.`;
  const { lines, notices } = read(result);
  if (lines.length === 0) return paragraphs(`${quote(path)} has 0 lines.`, ...notices);
  const isShownWhole = lines.length <= HEAD_LINES;
  const amount = count(lines.length, "line");
  const size = notices.length > 0 ? `I was given ${amount} of ${quote(path)}` : `${quote(path)} has ${amount}`;
  const head = isShownWhole ? `${size}:` : `${size}. It begins:`;
  return paragraphs(head, fenced(lines.slice(0, HEAD_LINES)), ...notices);
}

export function reportSearch(text: string, result: Result): string {
  const { lines, notices } = read(result);
  const hits = new Map<string, number>();
  for (const line of lines) {
    const file = /^(.+?):\d+:(?: |$)/.exec(line)?.[1];
    if (file !== undefined) hits.set(file, (hits.get(file) ?? 0) + 1);
  }
  if (hits.size === 0) return paragraphs(`No hits for ${quote(text)}.`, ...notices);
  const total = [...hits.values()].reduce((sum, number) => sum + number, 0);
  const rows = [...hits].map(([file, number]) => `${firstLine(file)}: ${number}`);
  return paragraphs(
    `${count(total, "hit")} for ${quote(text)} in ${count(hits.size, "file")}:`,
    ...some(rows, FILES).map((row) => `- ${row}`),
    ...notices,
  );
}

const EXIT = /\n*(?:Command was killed by signal \S+\n)?Command exited with code (-?\d+)\s*$/;

/** Reports how the command ended, even if that is why the tool failed. */
export function reportRun(command: string, result: Result): string {
  const text = textsOf(result.content).join("\n");
  const exit = EXIT.exec(text);
  if (result.isError && !exit) return reportFailure(command, result);
  const { lines, notices } = splitNotices(exit ? text.slice(0, exit.index) : text);
  const ended = `${quote(command)} exited with code ${exit?.[1] ?? 0}`;
  if (lines.length === 0 || lines.join("") === "(no output)") return `${ended} and printed nothing.`;
  const isShownWhole = lines.length <= TAIL_LINES;
  const head = isShownWhole ? `${ended}:` : `${ended}. The end of its output:`;
  return paragraphs(head, fenced(lines.slice(-TAIL_LINES)), ...notices);
}

/** Use the last part: the outcome of a change follows its preview. */
export function reportOutcome(result: Result): string {
  return firstLine(textsOf(result.content).at(-1) ?? "");
}

export function reportPreview(preview: Result): string {
  const { lines } = read(preview);
  const start = lines.indexOf("") + 1; // After the sentence that introduces the preview.
  return fenced(some(lines.slice(start), FILES));
}

export function reportCall(tool: string, result: Result): string {
  const { lines, notices } = read(result);
  const hasImage = result.content.some((block) => block.type === "image");
  const answer = lines.length === 0 ? `${quote(tool)} answered.` : `${quote(tool)} answered:`;
  return paragraphs(
    answer,
    ...(lines.length > 0 ? [fenced(some(lines, HEAD_LINES))] : []),
    ...notices,
    hasImage ? "There is an image in its answer, which I cannot see." : "",
  );
}

export function reportFailure(what: string, result: Result): string {
  const reason = reportOutcome(result);
  return `${quote(what)} failed: ${reason === "" ? "no reason was given" : reason}`;
}
