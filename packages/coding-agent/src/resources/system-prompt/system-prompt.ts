import { plainLine } from "../../text/plain-text.ts";
import { facetsOf } from "../../tools/tool-facets.ts";
import type { Skill } from "../skills/skill.ts";
import { skillList } from "../skills/skill-texts.ts";
import type { ContextFile } from "./context-files.ts";
import { type PromptRules, rulesText } from "./rule-texts.ts";
import type { ToolTexts } from "./tool-texts.ts";

const BASE_PROMPT = `You are pintle, a coding agent. You work on the user's files with the tools you are given.
Be brief and precise. Look before you change something, and say what you did.`;

/** Said when the model has all of these tools: sentences on how they go together, which none of them could own. */
const GUIDELINES: readonly { needs: readonly string[]; text: string }[] = [
  {
    needs: ["bash", "grep", "find"],
    text: "Look around with grep, find and ls; use bash for what no other tool does.",
  },
  { needs: ["read", "edit"], text: "Read the part of a file that you are going to edit." },
  { needs: ["edit", "write"], text: "Change existing files with edit; write is for new files and complete rewrites." },
  { needs: ["bash", "edit"], text: "After a change run the project's own checks, if it has some." },
];

/** What the prompt takes from a tool. */
export interface PromptTool extends ToolTexts {
  name: string;
}

export interface SystemPromptParts {
  /** Replaces the built-in text, or is made from it. */
  base?: string | ((builtin: string) => string) | undefined;
  append?: readonly string[];
  /** Those the model is offered. */
  tools: readonly PromptTool[];
  contextFiles?: readonly ContextFile[];
  rules?: PromptRules;
  skills?: readonly Skill[];
  cwd: string;
}

/**
 * The head of every request. What changes least stands first and the date last, so that providers can reuse the longest
 * possible beginning.
 */
export function buildSystemPrompt(
  { base, append = [], tools, cwd, ...parts }: SystemPromptParts,
  today: string,
): string {
  const builtin = builtinPrompt(tools);
  const canRead = tools.some(({ name }) => facetsOf(name).files === "reads");
  const { contextFiles = [], rules = { always: [], listed: [] }, skills = [] } = parts;
  return [
    typeof base === "string" ? base : (base?.(builtin) ?? builtin),
    ...append,
    contextText(contextFiles),
    rulesText(rules),
    canRead ? skillList(skills) : undefined,
    `Current date: ${today}\nCurrent working directory: ${plainLine(cwd)}`,
  ]
    .filter((part) => part !== undefined && part.trim() !== "")
    .join("\n\n");
}

/** What is said when no other base is given. Its lists follow the tools. */
export function builtinPrompt(tools: readonly PromptTool[]): string {
  const names = new Set(tools.map(({ name }) => name));
  const snippets = tools.flatMap(({ name, promptSnippet = "" }) => {
    const line = plainLine(promptSnippet);
    return line === "" ? [] : [`${name}: ${line}`];
  });
  const own = GUIDELINES.filter(({ needs }) => needs.every((name) => names.has(name))).map(({ text }) => text);
  const further = tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines.map(plainLine));
  const guidelines = new Set([...own, ...further].filter((line) => line !== ""));
  return [BASE_PROMPT, list("Tools", snippets), list("Guidelines", [...guidelines])]
    .filter((part) => part !== undefined)
    .join("\n\n");
}

function list(title: string, rows: readonly string[]): string | undefined {
  return rows.length > 0 ? `${title}:\n${rows.map((row) => `- ${row}`).join("\n")}` : undefined;
}

function contextText(files: readonly ContextFile[]): string | undefined {
  const parts = files
    .filter(({ content }) => content.trim() !== "")
    .map(({ path, content }) => `## ${plainLine(path)}\n\n${content.trim()}`);
  if (parts.length === 0) return undefined;
  return [
    "# Project context",
    "Instructions of the user and the project. The later ones are nearer to the work.",
    ...parts,
  ].join("\n\n");
}
