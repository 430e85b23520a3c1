import { parseFrontMatter } from "../files/front-matter.ts";

export const INTERRUPT_MODES = ["never", "prose-only", "tool-only", "always"] as const;
export type RuleInterruptMode = (typeof INTERRUPT_MODES)[number];

/** A text of the user's for the model: in the prompt, listed there, or held back until the model's output asks for it. */
export interface Rule {
  name: string;
  path: string;
  content: string;
  description?: string;
  /** Regular expressions; any of them triggers. */
  condition: string[];
  /** Which streams are watched; empty: text and all tools. */
  scope: string[];
  globs: string[];
  interruptMode?: RuleInterruptMode;
  alwaysApply: boolean;
}

/** A condition that names files rather than text. */
const LOOKS_LIKE_GLOB = /^[\w./{},@-]*\*[\w./{},*@-]*$/;

export function parseRule(file: { name: string; path: string; text: string }, warn: (text: string) => void): Rule {
  const { fields, body, problem } = parseFrontMatter(file.text);
  if (problem !== undefined) warn(`${file.path}: the head of the rule is not YAML (${problem}); read line by line`);
  const conditions = [fields.condition, fields.ttsr_trigger, fields.ttsrTrigger].flatMap(toTexts);
  const globs = conditions.filter(isGlob);
  const condition = conditions.filter((text) => !isGlob(text));
  const mode = INTERRUPT_MODES.find((known) => known === fields.interruptMode);
  if (fields.interruptMode !== undefined && mode === undefined) {
    warn(`${file.path}: interruptMode must be one of ${INTERRUPT_MODES.join(", ")}`);
  }
  return {
    name: file.name,
    path: file.path,
    content: body.trim(),
    ...(typeof fields.description === "string" && { description: fields.description }),
    // Files of that kind, whatever is written to them.
    condition: [...condition, ...(globs.length > 0 ? [".*"] : [])],
    scope: [...splitList(fields.scope), ...globs.flatMap((glob) => [`tool:edit(${glob})`, `tool:write(${glob})`])],
    globs: splitList(fields.globs),
    ...(mode && { interruptMode: mode }),
    alwaysApply: fields.alwaysApply === true,
  };
}

function isGlob(text: string): boolean {
  return LOOKS_LIKE_GLOB.test(text) && (text.startsWith("*.") || text.includes("/"));
}

function toTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((item): item is string => typeof item === "string" && item.trim() !== "");
}

/** Commas inside of braces and parentheses belong to the pattern. */
function splitList(value: unknown): string[] {
  return toTexts(value).flatMap((text) =>
    text
      .split(/,(?![^({]*[)}])/)
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  );
}
