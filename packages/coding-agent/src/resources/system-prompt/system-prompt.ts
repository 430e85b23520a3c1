import { plainLine } from "../../text/plain-text.ts";
import { facetsOf } from "../../tools/tool-facets.ts";
import type { Skill } from "../skills/skill.ts";
import { skillList } from "../skills/skill-texts.ts";
import type { ContextFile } from "./context-files.ts";
import { type PromptRules, rulesText } from "./rule-texts.ts";
import type { ToolTexts } from "./tool-texts.ts";

const BASE_PROMPT = `You are pintle, a coding agent. You work on the user's files with your tools until the task is done.
Look before you change something. Be brief. Report honestly: what you did and checked, what failed, what is left.`;

/** Said when the model has all of these tools: sentences on how they go together, which none of them could own. */
const GUIDELINES: readonly { needs: readonly string[]; text: string }[] = [
  {
    needs: ["bash", "grep", "find", "read"],
    text: "Look around with grep, find, ls and read; use bash for what no other tool does.",
  },
  { needs: ["read", "grep"], text: "Make calls that do not need each other's results in one message." },
  { needs: ["read", "edit"], text: "Read the part of a file that you are going to edit." },
  { needs: ["bash", "edit"], text: "After a change run the project's own checks, if it has some." },
  { needs: ["bash"], text: "Commit, push, or undo work in git only when the user asks for it." },
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
  /** What MCP servers say about their use, marked as theirs. */
  servers?: string;
  cwd: string;
}

/** Where and when the conversation takes place. */
export interface PromptPlace {
  /** On which it began. */
  date: string;
  machine: string;
}

/**
 * The head of every request. What changes least stands first and the date last, so that providers can reuse the longest
 * possible beginning.
 */
export function buildSystemPrompt(
  { base, append = [], tools, cwd, ...parts }: SystemPromptParts,
  { date, machine }: PromptPlace,
): string {
  const builtin = builtinPrompt(tools);
  const canRead = tools.some(({ name }) => facetsOf(name).files === "reads");
  const { contextFiles = [], rules = { always: [], listed: [] }, skills = [], servers } = parts;
  return [
    typeof base === "string" ? base : (base?.(builtin) ?? builtin),
    ...append,
    contextText(contextFiles),
    rulesText(rules),
    canRead ? skillList(skills) : undefined,
    servers,
    `${plainLine(machine)}\nCurrent date: ${date}\nCurrent working directory: ${plainLine(cwd)}`,
  ]
    .filter((part) => part !== undefined && part.trim() !== "")
    .join("\n\n");
}

/**
 * What is said when no other base is given. Its lists follow the tools. Built-in ones have no line in the first: their
 * declarations are in the same request and say more.
 */
export function builtinPrompt(tools: readonly PromptTool[]): string {
  const names = new Set(tools.map(({ name }) => name));
  const snippets = tools.flatMap(({ name, promptSnippet = "" }) => {
    const line = plainLine(promptSnippet);
    return line === "" ? [] : [`${name}: ${line}`];
  });
  const own = GUIDELINES.filter(({ needs }) => needs.every((name) => names.has(name))).map(({ text }) => text);
  const further = tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines.map(plainLine));
  const guidelines = new Set([...own, ...further].filter((line) => line !== ""));
  return [BASE_PROMPT, list("Further tools", snippets), list("Guidelines", [...guidelines])]
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
