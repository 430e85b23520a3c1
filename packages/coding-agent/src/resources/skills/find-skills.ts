import { join } from "node:path";
import { plainLine } from "@pintle/foundation";
import { LEAVES_TEXT, readTextFile } from "../places/read-text-file.ts";
import { isExpected, type ResourcePlace } from "../places/resource-places.ts";
import { kindOf, walkFolders } from "../places/walk-folders.ts";
import { parseSkill, SKILL_FILE, type Skill } from "./skill.ts";

const MAX_SKILLS = 200;
const MAX_FOLDERS = 2_000;
const MAX_DEPTH = 10;
/** Covers the front matter. The rest of the file is read when the skill is used. */
const HEAD_BYTES = 16 * 1024;

/**
 * Finds the skills in these places. The first of two skills with the same name wins, and a file found twice is one skill.
 */
export function findSkills(places: readonly ResourcePlace[], warn: (text: string) => void): Skill[] {
  const byName = new Map<string, Skill>();
  const files = new Set<string>();
  for (const place of places) {
    for (const path of skillFiles(place, warn)) {
      if (byName.size >= MAX_SKILLS) {
        warn(`there are more than ${MAX_SKILLS} skills; the others are not used`);
        return [...byName.values()];
      }
      const { within } = place;
      const file = readTextFile(path, { maxBytes: HEAD_BYTES, within });
      if (!file) continue;
      if ("problem" in file) {
        warn(`${plainLine(path)}: ${file.problem}`);
        continue;
      }
      if (files.has(file.realPath)) continue;
      files.add(file.realPath);
      const skill = parseSkill({ path, text: file.text, source: place.source, within }, warn);
      if (!skill) continue;
      const first = byName.get(skill.name);
      if (first) warn(`${plainLine(path)}: a skill "${skill.name}" already exists, in ${plainLine(first.path)}`);
      else byName.set(skill.name, skill);
    }
  }
  return [...byName.values()];
}

/** Finds folders with a skill at any depth. A single file is a skill only in pintle's own folders, or if it is named. */
function skillFiles(place: ResourcePlace, warn: (text: string) => void): string[] {
  const { path, within, hasSingleFiles } = place;
  const kind = kindOf(path);
  if (kind === "file") return [path];
  if (kind === undefined && isExpected(place)) warn(`${plainLine(path)}: no such file or folder`);
  const isSkill = ({ names }: { names: readonly string[] }) => names.includes(SKILL_FILE);
  const folders = walkFolders(path, {
    within,
    maxFolders: MAX_FOLDERS,
    maxDepth: MAX_DEPTH,
    enter: (folder) => !isSkill(folder),
    onLeaving: (folder) => warn(`${plainLine(folder)}: ${LEAVES_TEXT}`),
  });
  return [...folders].flatMap((folder) => {
    if (isSkill(folder)) return [join(folder.path, SKILL_FILE)];
    const isTop = folder.depth === 0 && hasSingleFiles;
    return isTop ? folder.names.filter((name) => name.endsWith(".md")).map((name) => join(path, name)) : [];
  });
}
