import type { Tool } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { LATE_TOOL_NAME } from "./late-tools.ts";

// This file is loaded with the first search.

/** How many tools to show with their schemas. More would bury the best match. */
const MAX_SHOWN = 8;
const MAX_SHOWN_CHARS = 24_000;
const MAX_NAMED = 30;

export interface Found {
  text: string;
  /** The names of the tools that are shown with their schemas. */
  names: string[];
}

/** The longest input that is treated as a search, in characters. */
const MAX_QUERY = 2_000;

/** Returns the best matches as text for the model. */
export function findTools(asked: string, tools: readonly Tool[]): Found {
  const query = asked.slice(0, MAX_QUERY);
  const ranked = rankTools(query, tools);
  if (ranked.length === 0) return { text: nothingText(query, tools), names: [] };
  const shown: string[] = [];
  let chars = 0;
  for (const { name, description, parameters } of ranked.slice(0, MAX_SHOWN)) {
    const text = JSON.stringify({ name, description, parameters });
    chars += text.length;
    if (shown.length > 0 && chars > MAX_SHOWN_CHARS) break;
    shown.push(text);
  }
  const rest = ranked.slice(shown.length, shown.length + MAX_NAMED).map(({ name }) => name);
  const also = rest.length > 0 ? `\n\nLess fitting: ${rest.join(", ")}` : "";
  return {
    text: `Call these with ${LATE_TOOL_NAME}:\n\n${shown.join("\n")}${also}`,
    names: ranked.slice(0, shown.length).map(({ name }) => name),
  };
}

/** Ranks tools, the best first. If the query names tools, it returns only those. */
export function rankTools(query: string, tools: readonly Tool[]): Tool[] {
  const given = new Set(query.split(/[\s,;"'`]+/));
  const named = tools.filter(({ name }) => given.has(name));
  if (named.length > 0) return named;
  const words = wordsOf(query);
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

const SCORES = { name: 8, nameStart: 4, text: 2, textStart: 1 };

function scoreOf({ name, label, description, parameters }: Tool, words: ReadonlySet<string>): number {
  const properties = isRecord(parameters) && isRecord(parameters.properties) ? Object.keys(parameters.properties) : [];
  const inName = wordsOf(`${name} ${label}`);
  const inText = wordsOf(`${description} ${properties.join(" ")}`);
  let score = 0;
  for (const word of words) {
    if (inName.has(word)) score += SCORES.name;
    else if (hasStart(inName, word)) score += SCORES.nameStart;
    if (inText.has(word)) score += SCORES.text;
    else if (hasStart(inText, word)) score += SCORES.textStart;
  }
  return score;
}

/** Matches beginnings: `issue` finds `issues`, and the reverse. */
function hasStart(words: ReadonlySet<string>, word: string): boolean {
  if (word.length < 3) return false;
  return [...words].some((other) => other.length >= 3 && (other.startsWith(word) || word.startsWith(other)));
}

/** Splits text into words, and names into their parts: `createIssue`, `create_issue`. */
function wordsOf(text: string): Set<string> {
  const words = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return new Set(words.match(/[\p{L}\p{N}]+/gu));
}

function nothingText(query: string, tools: readonly Tool[]): string {
  const names = tools.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : "";
  return `No tool fits ${JSON.stringify(query.slice(0, 200))}. There are: ${names.join(", ")}${more}`;
}
