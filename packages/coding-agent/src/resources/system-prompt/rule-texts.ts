import { cutToBytes, plainLine, plainText } from "@pintle/foundation";

/** Rules that the prompt contains or lists, unlike those that watch the model's output. */
export interface PromptRules {
  /** Rules whose content is in the prompt. */
  always: readonly { name: string; path: string; content: string }[];
  /** Rules that the model reads on demand. */
  listed: readonly { name: string; path: string; description?: string; globs?: readonly string[] }[];
}

const MAX_TOTAL_BYTES = 256 * 1024;

export function rulesText({ always, listed }: PromptRules): string | undefined {
  const parts = [alwaysText(always), listText(listed)].filter((part) => part !== undefined);
  return parts.length > 0 ? ["# Rules", ...parts].join("\n\n") : undefined;
}

function alwaysText(rules: PromptRules["always"]): string | undefined {
  if (rules.length === 0) return undefined;
  const text = rules.map(({ name, content }) => `## ${plainLine(name)}\n\n${plainText(content).trim()}`).join("\n\n");
  const cut = cutToBytes(text, MAX_TOTAL_BYTES);
  return cut === text ? text : `${cut}\n[Cut: the first ${MAX_TOTAL_BYTES / 1024} KB of all rules are shown]`;
}

function listText(rules: PromptRules["listed"]): string | undefined {
  if (rules.length === 0) return undefined;
  const rows = rules.map(({ name, path, description = "", globs = [] }) => {
    const files = globs.length > 0 ? ` [${globs.map(plainLine).join(", ")}]` : "";
    return `- ${plainLine(name)}${files}: ${plainLine(description)} (${plainLine(path)})`;
  });
  return `Before you work on something that a rule covers, read the rule's file:\n${rows.join("\n")}`;
}
