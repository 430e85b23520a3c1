import type { Tool } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { LATE_TOOL_NAME } from "./late-tools.ts";

// Loaded with the first search.

/** So many with their schemas; more of them would hide the one that is meant. */
const MAX_SHOWN = 8;
const MAX_SHOWN_CHARS = 24_000;
const MAX_NAMED = 30;

export interface Found {
  text: string;
  /** Of those that are shown with their schemas. */
  names: string[];
}

/** Input beyond this many characters is not a search. */
const MAX_QUERY = 2_000;

/** The tools that fit best, as the model reads them. */
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

/** The best first. Tools that are named are meant, and no others. */
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

/** `issue` also finds `issues`, and the other way round. */
function hasStart(words: ReadonlySet<string>, word: string): boolean {
  if (word.length < 3) return false;
  return [...words].some((other) => other.length >= 3 && (other.startsWith(word) || word.startsWith(other)));
}

/** Also the parts of a name: `createIssue`, `create_issue`. */
function wordsOf(text: string): Set<string> {
  const words = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return new Set(words.match(/[\p{L}\p{N}]+/gu));
}

function nothingText(query: string, tools: readonly Tool[]): string {
  const names = tools.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : "";
  return `No tool fits ${JSON.stringify(query.slice(0, 200))}. There are: ${names.join(", ")}${more}`;
}
