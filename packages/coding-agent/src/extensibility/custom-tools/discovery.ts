import { join, resolve } from "node:path";
import type { LoadFault } from "../modules/load-fault.ts";
import { expandHome, type ModuleFiles, moduleFilesIn, namedModules, realPathOf } from "../modules/module-files.ts";

// Read at every start: names and links only, nothing is opened.

export type CustomToolScope = "project" | "user" | "settings" | "flag";

export interface CustomToolSource {
  /** Where it was found. */
  path: string;
  /** What is loaded, links resolved. */
  realPath: string;
  scope: CustomToolScope;
  /** Asked directly before it is imported; false: it is not what somebody agreed to any more. */
  mayLoad?(): boolean;
}

export interface CustomToolPlaces {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  /** Paths in the settings, with the directory of the file they stand in. */
  settingsPaths: readonly { path: string; baseDir: string }[];
  /** Paths on the command line. */
  flagPaths: readonly string[];
  /** Somebody has agreed to what the project holds. */
  isTrusted?: boolean;
}

export interface DiscoveredTools {
  /** In load order. */
  sources: CustomToolSource[];
  errors: LoadFault[];
}

/** Which modules with tools there are. Of two ways to one file the first counts. */
export function discoverCustomTools({
  cwd,
  home,
  settingsPaths,
  flagPaths,
  isTrusted = false,
}: CustomToolPlaces): DiscoveredTools {
  const project = join(cwd, ".pintle", "tools");
  const places: { scope: CustomToolScope; found: ModuleFiles }[] = [
    ...(isTrusted ? [{ scope: "project" as const, found: moduleFilesIn(project) }] : []),
    { scope: "user", found: moduleFilesIn(join(home, "tools")) },
    ...settingsPaths.map(({ path, baseDir }) => ({
      scope: "settings" as const,
      found: namedModules(resolve(baseDir, expandHome(path))),
    })),
    ...flagPaths.map((path) => ({ scope: "flag" as const, found: namedModules(resolve(cwd, expandHome(path))) })),
  ];
  const sources = new Map<string, CustomToolSource>();
  for (const { scope, found } of places) {
    for (const path of found.files) {
      const realPath = realPathOf(path);
      if (!sources.has(realPath)) sources.set(realPath, { path, realPath, scope });
    }
  }
  return {
    sources: [...sources.values()],
    errors: places.flatMap(({ found }) => found.faults),
  };
}
