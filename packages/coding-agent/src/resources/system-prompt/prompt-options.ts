import { toSourceInfo } from "../prompts/slash-commands.ts";
import { builtinPrompt, type SystemPromptParts } from "./system-prompt.ts";

/** A skill in the form that pi's extensions expect. */
export interface SkillInfo {
  name: string;
  description: string;
  filePath: string;
  baseDir: string;
  sourceInfo: ReturnType<typeof toSourceInfo>;
  disableModelInvocation: boolean;
}

/** The parts of the system prompt. Extensions can read all of them and change some, as noted. */
export interface SystemPromptOptions {
  /** Replaces the built-in text. */
  customPrompt?: string;
  /** Set by an extension: replaces the whole prompt of the run. */
  forceSystemPrompt?: string;
  /** Can be changed: adding or removing a name activates or deactivates the tool. */
  selectedTools: string[];
  /** Always empty: every active tool is declared. */
  hiddenTools: string[];
  /** One-line descriptions by tool name, for tools that have one. */
  toolSnippets: Record<string, string>;
  /** Guidelines by tool name, for tools that have any. */
  toolGuidelines: Record<string, string[]>;
  /** Guidelines of all tools. Lines that an extension adds follow the prompt. */
  promptGuidelines: string[];
  appendSystemPrompt: string;
  /** Set by extensions, by tag: each follows the prompt as `<tag>…</tag>`. */
  sections: Record<string, string>;
  cwd: string;
  contextFiles: { path: string; content: string }[];
  skills: SkillInfo[];
}

/** Returns a new object each time, because extensions may modify it. */
export function toPromptOptions(parts: SystemPromptParts): SystemPromptOptions {
  const { base, append = [], tools, cwd, contextFiles = [], skills = [] } = parts;
  const appended = append.filter((text) => text.trim() !== "").join("\n\n");
  return {
    ...(base !== undefined && { customPrompt: typeof base === "string" ? base : base(builtinPrompt(tools)) }),
    selectedTools: tools.map(({ name }) => name),
    hiddenTools: [],
    toolSnippets: Object.fromEntries(tools.flatMap(({ name, promptSnippet: text }) => (text ? [[name, text]] : []))),
    toolGuidelines: Object.fromEntries(
      tools.flatMap(({ name, promptGuidelines: lines = [] }) => (lines.length > 0 ? [[name, [...lines]]] : [])),
    ),
    promptGuidelines: [...new Set(tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines))],
    appendSystemPrompt: appended,
    sections: {},
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
