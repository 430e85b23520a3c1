import { readdirSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { isRecord } from "@pintle/ai";
import { parseConfigText, readConfigText } from "../../config/config-text.ts";
import type { LoadFault } from "../modules/load-fault.ts";
import { expandHome, type ModuleFiles, moduleFilesIn, namedModules, realPathOf } from "../modules/module-files.ts";

// Read at every start: names and links, and the package.json of folders that have one.

export type ExtensionScope = "project" | "user" | "settings" | "flag" | "inline";

export interface ExtensionSource {
  /** Where it was found. */
  path: string;
  /** What is loaded, links resolved. */
  realPath: string;
  scope: ExtensionScope;
  /** Asked directly before it is imported; false: it is not what somebody agreed to any more. */
  mayLoad?(): boolean;
}

export interface ExtensionPlaces {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  /** Somebody agreed to the code of this project. */
  isProjectTrusted: boolean;
  /** Paths in the settings, with the directory of the file they stand in. */
  settingsPaths: readonly { path: string; baseDir: string }[];
  /** Paths on the command line; they count in any case. */
  flagPaths: readonly string[];
  /** False: neither folders nor settings are looked at. */
  isDiscoveryOn?: boolean;
  /** As in the setting `disabledExtensions`: `extension-module:<name>`. */
  disabled?: readonly string[];
}

export interface DiscoveredExtensions {
  /** In load order. */
  sources: ExtensionSource[];
  errors: LoadFault[];
}

const DISABLED_PREFIX = "extension-module:";

/** Which extensions there are. Of two ways to one file the first counts. */
export function discoverExtensions(places: ExtensionPlaces): DiscoveredExtensions {
  const { cwd, home, isProjectTrusted, settingsPaths, flagPaths, isDiscoveryOn = true, disabled = [] } = places;
  const project = join(cwd, ".pintle", "extensions");
  const found: { scope: ExtensionScope; files: ModuleFiles }[] = [
    // Without consent nothing of it is looked at.
    ...(isDiscoveryOn && isProjectTrusted ? [{ scope: "project" as const, files: extensionFilesIn(project) }] : []),
    ...(isDiscoveryOn ? [{ scope: "user" as const, files: extensionFilesIn(join(home, "extensions")) }] : []),
    ...(isDiscoveryOn ? settingsPaths : []).map(({ path, baseDir }) => ({
      scope: "settings" as const,
      files: namedExtensions(resolve(baseDir, expandHome(path))),
    })),
    ...flagPaths.map((path) => ({ scope: "flag" as const, files: namedExtensions(resolve(cwd, expandHome(path))) })),
  ];
  const isDisabled = (file: string) => disabled.includes(DISABLED_PREFIX + nameOf(file));
  const sources = new Map<string, ExtensionSource>();
  for (const { scope, files } of found) {
    for (const path of files.files) {
      const realPath = realPathOf(path);
      if (sources.has(realPath) || (scope !== "flag" && isDisabled(path))) continue;
      sources.set(realPath, { path, realPath, scope });
    }
  }
  return { sources: [...sources.values()], errors: found.flatMap(({ files }) => files.faults) };
}

/** As modules in any folder, but a folder with a package.json may name its entries itself. */
function extensionFilesIn(folder: string): ModuleFiles {
  const { files, faults } = moduleFilesIn(folder);
  const declared = foldersIn(folder).map((name) => ({ name, entries: declaredEntries(join(folder, name)) }));
  const byFolder = new Map(declared.flatMap(({ name, entries }) => (entries ? [[join(folder, name), entries]] : [])));
  const plain = files.filter((file) => !byFolder.has(dirname(file)));
  const items = [
    ...plain.map((file) => ({ key: file, files: { files: [file], faults: [] } as ModuleFiles })),
    ...[...byFolder].map(([key, entries]) => ({ key, files: entries })),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    files: items.flatMap((item) => item.files.files),
    faults: [...faults, ...items.flatMap((item) => item.files.faults)],
  };
}

/** A file, a folder that is an extension, or a folder of extensions. */
function namedExtensions(path: string): ModuleFiles {
  const declared = declaredEntries(path);
  if (declared) return declared;
  const named = namedModules(path);
  if (["", "index.ts", "index.js"].some((name) => named.files[0] === join(path, name))) return named;
  const inside = extensionFilesIn(path);
  return inside.files.length > 0 ? inside : named;
}

/** What the package.json of a folder says; undefined when it says nothing of extensions. */
function declaredEntries(folder: string): ModuleFiles | undefined {
  const entries = manifestEntries(join(folder, "package.json"));
  if (!entries) return undefined;
  const found = entries.map((entry) => namedModules(resolve(folder, entry)));
  return { files: found.flatMap(({ files }) => files), faults: found.flatMap(({ faults }) => faults) };
}

function manifestEntries(file: string): string[] | undefined {
  const content = readConfigText(file);
  if (!content || "problem" in content) return undefined; // no such file, or not for us
  const parsed = parseConfigText(content.text, "json");
  if (!("value" in parsed) || !isRecord(parsed.value)) return undefined;
  const { pintle, pi } = parsed.value;
  const listed = (isRecord(pintle) ? pintle.extensions : undefined) ?? (isRecord(pi) ? pi.extensions : undefined);
  return Array.isArray(listed) ? listed.filter((entry) => typeof entry === "string") : undefined;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink()))
      .map(({ name }) => name);
  } catch {
    return []; // whoever lists its files says what is wrong
  }
}

/** Of its file, or of its folder when the file is an index. */
function nameOf(file: string): string {
  const name = basename(file, extname(file));
  return name === "index" ? basename(dirname(file)) : name;
}
