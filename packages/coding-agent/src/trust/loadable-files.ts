import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside, realPath } from "@pintle/foundation";

const MODULE = /\.[cm]?[jt]sx?$/;
const FOLDER_ENTRIES = ["index.ts", "index.js", "package.json"];

/** Returns the modules in a folder to show to the user, including folders that are modules. Omits other files next to them. */
export function loadableIn(folder: string): { name: string; path: string }[] {
  return namesIn(folder)
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ name, path }) => MODULE.test(name) || isModuleFolder(path));
}

/** Returns the paths of the agent definitions in a folder. Links that leave the project stay unused and need no consent. */
export function agentFilesIn(folder: string, project: string): { name: string; path: string }[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ path }) => {
      const real = realPath(path);
      return real !== undefined && isInside(project, real);
    });
}

function isModuleFolder(path: string): boolean {
  return isFolder(path) && FOLDER_ENTRIES.some((name) => existsSync(join(path, name)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return []; // the hashing has already recorded why it cannot be read
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
