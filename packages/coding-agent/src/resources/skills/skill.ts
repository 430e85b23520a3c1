import { basename, dirname } from "node:path";
import { parseFrontMatter } from "../../text/front-matter.ts";
import { plainLine } from "../../text/plain-text.ts";
import type { ResourceSource } from "../places/resource-places.ts";

/** Instructions for a kind of work, which the model reads when it has such work to do. */
export interface Skill {
  name: string;
  description: string;
  /** The file. */
  path: string;
  /** Where relative paths in its text start. */
  baseDir: string;
  /** Only the user may call it; the model is not told. */
  isManual: boolean;
  source: ResourceSource;
  /** What links must not leave when its text is read. */
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

/** undefined: it says nothing about what it is for, so there is no reason to choose it. */
export function parseSkill(file: SkillFile, warn: (text: string) => void): Skill | undefined {
  const { path, source, within } = file;
  const complain = (text: string) => warn(`${plainLine(path)}: ${text}`);
  const { fields, problem } = parseFrontMatter(file.text);
  if (problem !== undefined) complain("the head of the skill is not YAML; read line by line");
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
      `the name "${name.slice(0, MAX_NAME)}" should be 1 to ${MAX_NAME} of a-z, 0-9 and single hyphens between them`,
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
