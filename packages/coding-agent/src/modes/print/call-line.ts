import { cutText } from "@pintle/ai";
import { terminalLine } from "./terminal-text.ts";

const MAX_VALUE = 120;

/**
 * Formats a tool call on one line: its name and its string arguments, in the order of the call. Shortens the first argument
 * to one line. Omits other arguments with several lines, because they are file content or the like.
 */
export function callLine(toolName: string, args: object): string {
  const texts = Object.values(args).filter((value) => typeof value === "string" && value.trim() !== "");
  const shown = texts.filter((text, index) => index === 0 || !text.trim().includes("\n"));
  return [terminalLine(toolName), ...shown.map((text) => shorten(terminalLine(text)))].join(" ");
}

function shorten(text: string): string {
  return cutText(text, MAX_VALUE);
}
