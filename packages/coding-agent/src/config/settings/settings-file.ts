import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { isRecord } from "@pintle/ai";
import {
  type ConfigText,
  errorCode,
  type FileFormat,
  type FileProblem,
  parseConfigText,
  readConfigText,
  unreadable,
} from "../config-text.ts";
import type { SettingsTree } from "./settings-tree.ts";

export interface SettingsFile extends ConfigText {
  tree: SettingsTree;
}

/** Returns undefined if there is no such file. */
export function readSettingsFile(path: string, format: FileFormat): SettingsFile | FileProblem | undefined {
  const content = readConfigText(path);
  if (!content || "problem" in content) return content;
  const parsed = parseSettings(content.text, format);
  return "problem" in parsed ? parsed : { ...parsed, ...content };
}

export function parseSettings(text: string, format: FileFormat): { tree: SettingsTree } | FileProblem {
  const parsed = parseConfigText(text, format);
  if ("problem" in parsed) return parsed;
  return isRecord(parsed.value) ? { tree: parsed.value } : { problem: "must contain an object" };
}

/**
 * Returns the real path of a project's settings, or undefined if it has none. A link could name any of the user's files, so a
 * file outside the project is not read.
 */
export function findProjectFile(cwd: string): { path: string } | FileProblem | undefined {
  try {
    const root = realpathSync(cwd);
    const path = realpathSync(join(root, ".pintle", "settings.json"));
    return isInside(root, path) ? { path } : { problem: "links outside the project and is not read" };
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : unreadable(error);
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
