import { escapeXml, parseFrontMatter, plainLine } from "@pintle/foundation";
import { readTextFile } from "../places/read-text-file.ts";
import type { Skill } from "./skill.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** Lists the skills for the system prompt. The model reads a skill's file when it needs it. */
export function skillList(skills: readonly Skill[]): string | undefined {
  const offered = skills.filter(({ isManual }) => !isManual);
  if (offered.length === 0) return undefined;
  const entries = offered.map(({ name, description, path }) =>
    [
      "  <skill>",
      `    <name>${escapeXml(name)}</name>`,
      `    <description>${escapeXml(description)}</description>`,
      `    <location>${escapeXml(plainLine(path))}</location>`,
      "  </skill>",
    ].join("\n"),
  );
  return [
    "# Skills",
    "Each skill below has instructions for one kind of task. When a task matches a description, first read the file at its location and follow it. Relative paths in it start from that file's directory.",
    `<available_skills>\n${entries.join("\n")}\n</available_skills>`,
  ].join("\n\n");
}

/** Expands `/skill:name args`. Reads the file again, because it may have changed since it was listed. */
export function skillText(
  { name, path, baseDir, within }: Skill,
  args: string,
): { text: string } | { problem: string } {
  const file = readTextFile(path, { maxBytes: MAX_BODY_BYTES, within }) ?? { problem: "is gone" };
  if ("problem" in file) return file;
  const body = parseFrontMatter(file.text).body.trim();
  const cut = file.isCut
    ? `\n[Cut: the first ${MAX_BODY_BYTES / 1024} KB are shown. The rest is in ${plainLine(path)}]`
    : "";
  const block = [
    `<skill name="${escapeXml(name)}" location="${escapeXml(plainLine(path))}">`,
    `Relative paths start from ${plainLine(baseDir)}`,
    "",
    `${body}${cut}`,
    "</skill>",
  ].join("\n");
  return { text: args.trim() === "" ? block : `${block}\n\nUser: ${args}` };
}
