import { plainLine } from "@pintle/foundation";

/** What the system prompt says about a tool. */
export interface ToolTexts {
  /** One line for the list of tools. */
  promptSnippet?: string;
  /** Included while the model has the tool. */
  promptGuidelines?: readonly string[];
}

const MAX_LINE = 1_000;
const MAX_GUIDELINES = 50;

/** The descriptions of a foreign tool, each on one line. Values that are not strings are left out. */
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
