import { isRecord } from "@pintle/ai";
import { plainLine } from "@pintle/foundation";
import type { SystemPromptOptions } from "../../resources/system-prompt/prompt-options.ts";

/** Changes that handlers of `before_agent_start` made to their shared options. */
export interface PromptChanges {
  /** Replaces the whole prompt. */
  forced?: string;
  /** Appended to the prompt: added guidelines and sections. */
  appended?: string;
  addedTools: string[];
  removedTools: string[];
}

const TAG = /^[A-Za-z_][\w.-]*$/;

/** Compares the options with an earlier copy. Handlers can write anything into them, so values of the wrong type are ignored. */
export function promptChanges(options: SystemPromptOptions, before: SystemPromptOptions): PromptChanges {
  const { forceSystemPrompt, sections, promptGuidelines, selectedTools }: Record<string, unknown> = { ...options };
  const tools = Array.isArray(selectedTools) ? selectedTools.filter(isString) : before.selectedTools;
  const rows = (Array.isArray(promptGuidelines) ? promptGuidelines : [])
    .filter((line): line is string => isString(line) && !before.promptGuidelines.includes(line))
    .map((line) => `- ${plainLine(line)}`);
  const blocks = Object.entries(isRecord(sections) ? sections : {}).flatMap(([tag, text]) =>
    TAG.test(tag) && isString(text) && text.trim() !== "" ? [`<${tag}>\n${text.trim()}\n</${tag}>`] : [],
  );
  const appended = [...(rows.length > 0 ? [rows.join("\n")] : []), ...blocks].join("\n\n");
  return {
    ...(isString(forceSystemPrompt) && { forced: forceSystemPrompt }),
    ...(appended !== "" && { appended }),
    addedTools: tools.filter((name) => !before.selectedTools.includes(name)),
    removedTools: before.selectedTools.filter((name) => !tools.includes(name)),
  };
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
