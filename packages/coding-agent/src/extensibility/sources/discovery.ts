import { basename, dirname, extname, join, resolve } from "node:path";
import { expandHome } from "../../files/expand-home.ts";
import { realPath } from "../../files/real-path.ts";
import type { LoadFault } from "../loading/load-fault.ts";
import { type ModuleFiles, moduleFilesIn, namedModules } from "./module-files.ts";
import { extensionFilesIn, namedExtensions } from "./package-entries.ts";

// Read at every start: names and links, and the package.json of folders that have one. No module is opened.

/** A tool module is an extension that brings tools only and is written in a simpler form. */
export type ModuleKind = "extension" | "tool";
export type ModuleScope = "project" | "user" | "settings" | "flag" | "inline";

export interface ModuleSource {
  /** Where it was found. */
  path: string;
  /** What is loaded, links resolved. */
  realPath: string;
  scope: ModuleScope;
  /** Asked directly before it is imported; false: its content is not what was agreed to any more. */
  mayLoad?(): boolean;
}

export interface ModulePlaces {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  /** There is consent to the code of this project. */
  isTrusted: boolean;
  /** Paths in the settings, with the directory of the file they stand in. */
  settingsPaths: readonly { path: string; baseDir: string }[];
  /** Paths on the command line; they count in any case. */
  flagPaths: readonly string[];
  /** False: neither folders nor settings are looked at. */
  isDiscoveryOn?: boolean;
  /** As in the setting `disabledExtensions`: `extension-module:<name>`. */
  disabled?: readonly string[];
}

export interface DiscoveredModules {
  /** In load order. */
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

/** Which modules there are. Of two ways to one file the first counts. */
export function discoverModules(kind: ModuleKind, places: ModulePlaces): DiscoveredModules {
  const { disabled = [] } = places;
  const isDisabled = (file: string) => disabled.includes(DISABLED_PREFIX + nameOf(file));
  const found = foundAt(LAYOUTS[kind], places);
  const sources = new Map<string, ModuleSource>();
  for (const { scope, files } of found) {
    for (const path of files.files) {
      const target = realPath(path) ?? path; // gone since it was listed: its import will say so
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
    // Without consent nothing of the project is looked at.
    ...(isTrusted ? [at("project", filesIn(join(cwd, ".pintle", folder)))] : []),
    at("user", filesIn(join(home, folder))),
    ...settingsPaths.map(({ path, baseDir }) => at("settings", named(resolve(baseDir, expandHome(path))))),
    ...ofFlags,
  ];
}

/** Of its file, or of its folder when the file is an index. */
function nameOf(file: string): string {
  const name = basename(file, extname(file));
  return name === "index" ? basename(dirname(file)) : name;
}
