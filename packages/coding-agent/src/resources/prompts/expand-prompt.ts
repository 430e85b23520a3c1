import type { Skill } from "../skills/skill.ts";
import { skillText } from "../skills/skill-texts.ts";
import type { PromptTemplate } from "./find-templates.ts";
import { parseSlash, SKILL_PREFIX } from "./slash-commands.ts";
import { fillTemplate } from "./template-arguments.ts";

export interface Expandable {
  skills: readonly Skill[];
  templates: readonly PromptTemplate[];
  /** Whether skills can be called by name. */
  hasSkillCommands: boolean;
}

/** Expands skill and template commands. Other text that starts with a slash is unchanged. */
export function expandPrompt(
  text: string,
  { skills, templates, hasSkillCommands }: Expandable,
  warn: (text: string) => void,
): string {
  const slash = parseSlash(text);
  if (!slash) return text;
  const { name, args } = slash;
  if (hasSkillCommands && name.startsWith(SKILL_PREFIX)) {
    const skill = skills.find((one) => `${SKILL_PREFIX}${one.name}` === name);
    const expanded = skill && skillText(skill, args);
    if (expanded && "problem" in expanded) warn(`${skill?.path}: ${expanded.problem}`);
    else if (expanded) return expanded.text;
  }
  const template = templates.find((one) => one.name === name);
  return template ? fillTemplate(template.text, args) : text;
}
