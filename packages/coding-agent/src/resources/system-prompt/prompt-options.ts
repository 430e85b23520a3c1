import { toSourceInfo } from "../prompts/slash-commands.ts";
import { builtinPrompt, type SystemPromptParts } from "./system-prompt.ts";

/** A skill in the words of pi's extensions. */
export interface SkillInfo {
  name: string;
  description: string;
  filePath: string;
  baseDir: string;
  sourceInfo: ReturnType<typeof toSourceInfo>;
  disableModelInvocation: boolean;
}

/** What a system prompt was made of, for extensions that make another from it. */
export interface SystemPromptOptions {
  /** In place of the built-in text. */
  customPrompt?: string;
  selectedTools: string[];
  /** By the name of the tool; only of those that have one. */
  toolSnippets: Record<string, string>;
  /** Of the tools. */
  promptGuidelines: string[];
  appendSystemPrompt?: string;
  cwd: string;
  contextFiles: { path: string; content: string }[];
  skills: SkillInfo[];
}

/** A new object each time: extensions may write into it. */
export function toPromptOptions(parts: SystemPromptParts): SystemPromptOptions {
  const { base, append = [], tools, cwd, contextFiles = [], skills = [] } = parts;
  const appended = append.filter((text) => text.trim() !== "").join("\n\n");
  return {
    ...(base !== undefined && { customPrompt: typeof base === "string" ? base : base(builtinPrompt(tools)) }),
    selectedTools: tools.map(({ name }) => name),
    toolSnippets: Object.fromEntries(tools.flatMap(({ name, promptSnippet: text }) => (text ? [[name, text]] : []))),
    promptGuidelines: [...new Set(tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines))],
    ...(appended !== "" && { appendSystemPrompt: appended }),
    cwd,
    contextFiles: contextFiles.map(({ path, content }) => ({ path, content })),
    skills: skills.map(({ name, description, path, baseDir, source, isManual }) => ({
      name,
      description,
      filePath: path,
      baseDir,
      sourceInfo: toSourceInfo(path, source),
      disableModelInvocation: isManual,
    })),
  };
}
