import { isAbsolute, resolve } from "node:path";
import { expandHome, isInside, realPath } from "@pintle/foundation";

/** The origin of a skill or template, in the terms of the wire. */
export interface ResourceSource {
  /** `temporary`: only for this process, from the command line or an extension. */
  scope: "user" | "project" | "temporary";
  /** How it was found: discovered, or named in the settings, on the command line or by an extension. */
  origin: "auto" | "settings" | "named" | "extension";
}

/** A folder or file to search. */
export interface ResourcePlace {
  path: string;
  source: ResourceSource;
  /** A directory that links must not leave. */
  within?: string | undefined;
  /** Whether a skill in the folder may be a single file. */
  hasSingleFiles?: true;
}

/** Paths from the settings, with the file that names them. */
export interface SettingsPaths {
  paths: readonly string[];
  layer: "default" | "user" | "project" | "override";
  /** Base directory for relative paths. */
  baseDir: string;
}

export interface PathRules {
  /** The user's home directory, for `~`. */
  userHome: string;
  /** Root of the project, with links resolved. */
  boundary: string;
  isTrusted: boolean;
  warn(text: string): void;
}

/** A project may name paths inside itself. Other paths need consent. */
export function settingsPlaces({ paths, layer, baseDir }: SettingsPaths, rules: PathRules): ResourcePlace[] {
  const isProjects = layer === "project";
  const scope = isProjects ? "project" : layer === "override" ? "temporary" : "user";
  const within = isProjects && !rules.isTrusted ? rules.boundary : undefined;
  return paths.flatMap((written) => {
    const path = resolvePath(written, baseDir, rules.userHome);
    if (within === undefined || isInside(within, realPath(path) ?? path))
      return [{ path, source: { scope, origin: "settings" }, within }];
    rules.warn(
      `${path}: the project's settings name it, but it is outside the project and is not used without your consent`,
    );
    return [];
  });
}

/** Whether a missing path is an error. Default locations may be missing. */
export function isExpected({ source }: ResourcePlace): boolean {
  return source.origin !== "auto";
}

/** Places for this process only. Naming a path is consent to use it, and extensions run only with consent. */
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

/** Whether the project is the home directory, where `.pintle` is pintle's own directory. */
export function isSamePlace(one: string, other: string): boolean {
  return (realPath(one) ?? one) === (realPath(other) ?? other);
}
