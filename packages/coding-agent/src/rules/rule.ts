import { parseFrontMatter } from "@pintle/foundation";

const INTERRUPT_MODES = ["never", "prose-only", "tool-only", "always"] as const;
export type RuleInterruptMode = (typeof INTERRUPT_MODES)[number];

/**
 * A user's instruction for the model: in the prompt, listed there, or held back until the model's output triggers it.
 */
export interface Rule {
  name: string;
  path: string;
  content: string;
  description?: string;
  /** Regular expressions; any of them triggers. */
  condition: string[];
  /** Watched streams; if empty, text and all tools. */
  scope: string[];
  /** The same as `condition` and `scope`, with each condition where it applies. */
  watches: { conditions: string[]; scope: string[] }[];
  globs: string[];
  interruptMode?: RuleInterruptMode;
  alwaysApply: boolean;
}

const GLOB = /^[\w./{},*@-]+$/;
const EVERYTHING = ".*";

export function parseRule(file: { name: string; path: string; text: string }, warn: (text: string) => void): Rule {
  const { fields, body, problem } = parseFrontMatter(file.text);
  if (problem !== undefined)
    warn(`${file.path}: the rule's front matter is not YAML (${problem}); it is read line by line`);
  // In YAML's double quotes \b is a backspace, which no rule would search for.
  const written = [fields.condition, fields.ttsr_trigger, fields.ttsrTrigger].flatMap(toTexts);
  const conditions = written.map((text) => text.replaceAll("\b", "\\b"));
  const patterns = conditions.filter((text) => !isGlob(text));
  // A glob matches writes to these files, whatever the content.
  const files = conditions.filter(isGlob).flatMap((glob) => [`tool:edit(${glob})`, `tool:write(${glob})`]);
  const scope = splitList(fields.scope);
  const mode = INTERRUPT_MODES.find((known) => known === fields.interruptMode);
  if (fields.interruptMode !== undefined && mode === undefined) {
    warn(`${file.path}: interruptMode must be one of ${INTERRUPT_MODES.join(", ")}`);
  }
  return {
    name: file.name,
    path: file.path,
    content: body.trim(),
    ...(typeof fields.description === "string" && { description: fields.description }),
    condition: [...patterns, ...(files.length > 0 ? [EVERYTHING] : [])],
    scope: [...scope, ...files],
    watches: [
      ...(patterns.length > 0 ? [{ conditions: patterns, scope }] : []),
      ...(files.length > 0 ? [{ conditions: [EVERYTHING], scope: files }] : []),
    ],
    globs: splitList(fields.globs),
    ...(mode && { interruptMode: mode }),
    alwaysApply: fields.alwaysApply === true,
  };
}

/** Returns whether a condition names files instead of text. A leading `.*` indicates a regular expression. */
function isGlob(text: string): boolean {
  return (
    (text.startsWith("*.") || text.includes("/")) && text.includes("*") && !text.startsWith(".*") && GLOB.test(text)
  );
}

function toTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list
    .flatMap((item) => (["string", "number", "boolean"].includes(typeof item) ? [String(item)] : []))
    .filter((text) => text.trim() !== "");
}

/** Splits at commas, except inside braces and parentheses. */
function splitList(value: unknown): string[] {
  return toTexts(value).flatMap((text) => {
    const parts = [""];
    let depth = 0;
    for (const char of text) {
      if ("({".includes(char)) depth += 1;
      if (")}".includes(char)) depth -= 1;
      if (char === "," && depth <= 0) parts.push("");
      else parts[parts.length - 1] += char;
    }
    return parts.map((part) => part.trim()).filter((part) => part !== "");
  });
}
