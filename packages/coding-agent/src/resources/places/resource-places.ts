import { isAbsolute, resolve } from "node:path";
import { expandHome } from "../../files/expand-home.ts";
import { isInside } from "../../files/is-inside.ts";
import { realPath } from "../../files/real-path.ts";

/** Where a skill or template comes from, in the words that clients know. */
export interface ResourceSource {
  /** `temporary`: for this process, from the command line or an extension. */
  scope: "user" | "project" | "temporary";
  /** Found by itself, named in settings, named by who started the process, or named by an extension. */
  origin: "auto" | "settings" | "named" | "extension";
}

/** A folder or file to look into. */
export interface ResourcePlace {
  path: string;
  source: ResourceSource;
  /** A directory that links must not leave. */
  within?: string | undefined;
  /** A skill in there may be a single file. */
  hasSingleFiles?: true;
}

/** Paths in the settings, with the file they stand in. */
export interface SettingsPaths {
  paths: readonly string[];
  layer: "default" | "user" | "project" | "override";
  /** Where relative paths start. */
  baseDir: string;
}

export interface PathRules {
  /** The user's home directory, for `~`. */
  userHome: string;
  /** Of the project, links resolved. */
  boundary: string;
  isTrusted: boolean;
  warn(text: string): void;
}

/** A project may name what is in it; what is elsewhere needs consent. */
export function settingsPlaces({ paths, layer, baseDir }: SettingsPaths, rules: PathRules): ResourcePlace[] {
  const isProjects = layer === "project";
  const scope = isProjects ? "project" : layer === "override" ? "temporary" : "user";
  const within = isProjects && !rules.isTrusted ? rules.boundary : undefined;
  return paths.flatMap((written) => {
    const path = resolvePath(written, baseDir, rules.userHome);
    if (within === undefined || isInside(within, realPath(path) ?? path))
      return [{ path, source: { scope, origin: "settings" }, within }];
    rules.warn(`${path}: named by the project's settings, is not in the project and is not used without consent`);
    return [];
  });
}

/** Whether it should be there: what is looked for everywhere need not be. */
export function isExpected({ source }: ResourcePlace): boolean {
  return source.origin !== "auto";
}

/** For this process. Naming it is consent to it, and an extension runs only with consent. */
export function namedPlaces(
  paths: readonly string[],
  { cwd, userHome }: { cwd: string; userHome: string },
  origin: "named" | "extension" = "named",
): ResourcePlace[] {
  return paths.map((path) => ({
    path: resolvePath(path, cwd, userHome),
    source: { scope: "temporary", origin },
  }));
}

function resolvePath(written: string, baseDir: string, userHome: string): string {
  const path = expandHome(written, userHome);
  return isAbsolute(path) ? path : resolve(baseDir, path);
}

/** For someone who works in their home directory the project's folder is pintle's own. */
export function isSamePlace(one: string, other: string): boolean {
  return (realPath(one) ?? one) === (realPath(other) ?? other);
}
