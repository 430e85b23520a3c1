import { readdirSync, type Stats, statSync } from "node:fs";
import { extname, join } from "node:path";
import { errorCode } from "@pintle/foundation";
import { describeThrown, type LoadFault } from "../loading/load-fault.ts";

const INDEX_FILES = ["index.ts", "index.js"];
const DECLARATION = /\.d\.ts$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;
const CODE_EXTENSIONS = new Set([".ts", ".js", ".mts", ".mjs", ".cts", ".cjs"]);

export interface ModuleFiles {
  files: string[];
  faults: LoadFault[];
}

/**
 * Returns the modules in a folder, sorted by name: `*.ts`, `*.js`, and `index.ts` or `index.js` one level deeper. Links are
 * followed; dotfiles, broken links and anything else are ignored. A folder that does not exist is empty. Reads only names.
 */
export function moduleFilesIn(folder: string): ModuleFiles {
  const found: ModuleFiles = { files: [], faults: [] };
  for (const name of namesIn(folder, found.faults)) {
    const path = join(folder, name);
    const file = moduleAt(path, statOf(path));
    if (file === undefined) continue;
    if (CONTROL_CHARACTER.test(name)) found.faults.push({ path: visible(path), error: CONTROL_TEXT });
    else found.files.push(file);
  }
  return found;
}

/** Returns the modules that a path names: a file, a folder that is a module, or a folder of modules. */
export function namedModules(path: string): ModuleFiles {
  const fault = (error: string): ModuleFiles => ({ files: [], faults: [{ path: visible(path), error }] });
  if (CONTROL_CHARACTER.test(path)) return fault(CONTROL_TEXT);
  const stats = statOf(path);
  if (!stats) return fault("No such file or directory");
  if (stats.isFile()) {
    const extension = extname(path);
    return CODE_EXTENSIONS.has(extension)
      ? { files: [path], faults: [] }
      : fault(`Not a module: ${extension || "no"} file extension`);
  }
  if (!stats.isDirectory()) return fault("Not a file or directory");
  const index = indexFileIn(path);
  if (index !== undefined) return { files: [index], faults: [] };
  const inside = moduleFilesIn(path);
  return inside.files.length + inside.faults.length > 0 ? inside : fault("No module in this folder");
}

const CONTROL_TEXT = "The name contains control characters";

function namesIn(folder: string, faults: LoadFault[]): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch (error) {
    if (errorCode(error) !== "ENOENT")
      faults.push({ path: folder, error: `The folder cannot be read: ${describeThrown(error)}` });
    return [];
  }
}

function moduleAt(path: string, stats: Stats | undefined): string | undefined {
  if (stats?.isDirectory()) return indexFileIn(path);
  const isCode = /\.[tj]s$/.test(path) && !DECLARATION.test(path);
  return stats?.isFile() && isCode ? path : undefined;
}

function indexFileIn(folder: string): string | undefined {
  return INDEX_FILES.map((name) => join(folder, name)).find((path) => statOf(path)?.isFile());
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a circular link, or a folder that may not be entered
  }
}

function visible(path: string): string {
  return CONTROL_CHARACTER.test(path) ? JSON.stringify(path) : path;
}
