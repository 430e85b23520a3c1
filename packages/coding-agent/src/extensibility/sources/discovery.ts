import { basename, dirname, extname, join, resolve } from "node:path";
import { expandHome, realPath } from "@pintle/foundation";
import type { LoadFault } from "../loading/load-fault.ts";
import { type ModuleFiles, moduleFilesIn, namedModules } from "./module-files.ts";
import { extensionFilesIn, namedExtensions } from "./package-entries.ts";

// Runs at every start and reads only names, links and the package.json of folders that have one. Opens no module.

/** A tool module is a simpler form of extension that only provides tools. */
export type ModuleKind = "extension" | "tool";
export type ModuleScope = "project" | "user" | "settings" | "flag" | "inline";

export interface ModuleSource {
  /** Where it was found. */
  path: string;
  /** The path to load, with links resolved. */
  realPath: string;
  scope: ModuleScope;
  /** Called right before the import; returns false if its content is no longer what the user trusted. */
  mayLoad?(): boolean;
}

export interface ModulePlaces {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  /** True if the user trusts this project's code. */
  isTrusted: boolean;
  /** Paths in the settings, with the directory of the file that contains them. */
  settingsPaths: readonly { path: string; baseDir: string }[];
  /** Paths on the command line, which always apply. */
  flagPaths: readonly string[];
  /** With false, neither folders nor settings are searched. */
  isDiscoveryOn?: boolean;
  /** The setting `disabledExtensions`: `extension-module:<name>`. */
  disabled?: readonly string[];
}

export interface DiscoveredModules {
  /** The modules, in load order. */
  sources: ModuleSource[];
  errors: LoadFault[];
}

interface Layout {
  folder: string;
  filesIn(folder: string): ModuleFiles;
  named(path: string): ModuleFiles;
}

const LAYOUTS: Readonly<Record<ModuleKind, Layout>> = {
  extension: { folder: "extensions", filesIn: extensionFilesIn, named: namedExtensions },
  tool: { folder: "tools", filesIn: moduleFilesIn, named: namedModules },
};
const DISABLED_PREFIX = "extension-module:";

/** Finds the modules. If two paths lead to one file, the first wins. */
export function discoverModules(kind: ModuleKind, places: ModulePlaces): DiscoveredModules {
  const { disabled = [] } = places;
  const isDisabled = (file: string) => disabled.includes(DISABLED_PREFIX + nameOf(file));
  const found = foundAt(LAYOUTS[kind], places);
  const sources = new Map<string, ModuleSource>();
  for (const { scope, files } of found) {
    for (const path of files.files) {
      const target = realPath(path) ?? path; // deleted since it was listed: its import will report that
      if (sources.has(target) || (scope !== "flag" && isDisabled(path))) continue;
      sources.set(target, { path, realPath: target, scope });
    }
  }
  return { sources: [...sources.values()], errors: found.flatMap(({ files }) => files.faults) };
}

function foundAt(
  { folder, filesIn, named }: Layout,
  { cwd, home, isTrusted, settingsPaths, flagPaths, isDiscoveryOn = true }: ModulePlaces,
): { scope: ModuleScope; files: ModuleFiles }[] {
  const at = (scope: ModuleScope, files: ModuleFiles) => ({ scope, files });
  const ofFlags = flagPaths.map((path) => at("flag", named(resolve(cwd, expandHome(path)))));
  if (!isDiscoveryOn) return ofFlags;
  return [
    // Without trust, nothing of the project is read.
    ...(isTrusted ? [at("project", filesIn(join(cwd, ".pintle", folder)))] : []),
    at("user", filesIn(join(home, folder))),
    ...settingsPaths.map(({ path, baseDir }) => at("settings", named(resolve(baseDir, expandHome(path))))),
    ...ofFlags,
  ];
}

/** Returns the name of the file, or of its folder if the file is an index. */
function nameOf(file: string): string {
  const name = basename(file, extname(file));
  return name === "index" ? basename(dirname(file)) : name;
}
