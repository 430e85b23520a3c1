import { plainLine } from "@pintle/foundation";

/** A tool's lines in the system prompt. */
export interface ToolTexts {
  /** One line for the list of tools. */
  promptSnippet?: string;
  /** Included while the model has the tool. */
  promptGuidelines?: readonly string[];
}

const MAX_LINE = 1_000;
const MAX_GUIDELINES = 50;

/** Returns the descriptions of a foreign tool, each on one line. Drops values that are not strings. */
export function readToolTexts(tool: { promptSnippet?: unknown; promptGuidelines?: unknown }): ToolTexts {
  const { promptSnippet, promptGuidelines } = tool;
  const snippet = toLine(promptSnippet);
  const guidelines = Array.isArray(promptGuidelines) ? promptGuidelines.map(toLine).filter((line) => line !== "") : [];
  return {
    ...(snippet !== "" && { promptSnippet: snippet }),
    ...(guidelines.length > 0 && { promptGuidelines: guidelines.slice(0, MAX_GUIDELINES) }),
  };
}

function toLine(value: unknown): string {
  return typeof value === "string" ? plainLine(value).slice(0, MAX_LINE).toWellFormed().trimEnd() : "";
}
