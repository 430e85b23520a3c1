import { basename, dirname } from "node:path";
import { parseFrontMatter, plainLine } from "@pintle/foundation";
import type { ResourceSource } from "../places/resource-places.ts";

/** Instructions for a kind of task, which the model reads when it has such a task. */
export interface Skill {
  name: string;
  description: string;
  /** Path of the skill's file. */
  path: string;
  /** Base directory for relative paths in its text. */
  baseDir: string;
  /** Whether only the user may call it and the model does not see it. */
  isManual: boolean;
  source: ResourceSource;
  /** Directory that links must not leave when the file is read. */
  within?: string | undefined;
}

export const SKILL_FILE = "SKILL.md";
const MAX_DESCRIPTION = 1024;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;

export interface SkillFile {
  path: string;
  text: string;
  source: ResourceSource;
  within?: string | undefined;
}

/** Returns undefined if the skill has no description, because the model could not choose it. */
export function parseSkill(file: SkillFile, warn: (text: string) => void): Skill | undefined {
  const { path, source, within } = file;
  const complain = (text: string) => warn(`${plainLine(path)}: ${text}`);
  const { fields, problem } = parseFrontMatter(file.text);
  if (problem !== undefined) complain("the front matter is not valid YAML and was read line by line");
  const description = typeof fields.description === "string" ? plainLine(fields.description) : "";
  if (description === "") {
    complain("a skill without a description is not used");
    return undefined;
  }
  if (description.length > MAX_DESCRIPTION) complain(`the description is longer than ${MAX_DESCRIPTION} characters`);
  const baseDir = dirname(path);
  const ownName = basename(path) === SKILL_FILE ? basename(baseDir) : basename(path, ".md");
  const name = (typeof fields.name === "string" && plainLine(fields.name)) || plainLine(ownName);
  if (!NAME.test(name) || name.length > MAX_NAME) {
    complain(
      `the name "${name.slice(0, MAX_NAME)}" should be 1 to ${MAX_NAME} characters of a-z and 0-9, with single hyphens between them`,
    );
  }
  return {
    name,
    description: description.slice(0, MAX_DESCRIPTION),
    path,
    baseDir,
    isManual: /^true$/i.test(String(fields["disable-model-invocation"])),
    source,
    ...(within !== undefined && { within }),
  };
}
