import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expandHome, isInside } from "@pintle/foundation";
import { ProjectSettings } from "../config/settings/settings-project.ts";
import type { SettingKey } from "../config/settings/settings-schema.ts";
import { MODULE_SETTINGS, type TrustItemKind } from "./covered-places.ts";

/** The requests in a project's settings file that need consent. */
export interface SettingsClaims {
  path: string;
  /** Digest of the bytes that were read. */
  sha256: string;
  /** Keys, except those that name modules. */
  keys: string[];
  modules: { kind: TrustItemKind; name: string; path: string }[];
  /** Other project files that would be run. */
  files: string[];
}

/** Undefined if the file requests nothing that needs consent. */
export function readSettingsClaims(project: string): SettingsClaims | undefined {
  const settings = ProjectSettings.read(project, undefined);
  if (!settings || "problem" in settings) return undefined;
  const keys = settings.withheld;
  if (keys.length === 0) return undefined;
  settings.trust(); // affects only this copy, whose values are needed
  const base = dirname(settings.path);
  const listed = Object.entries(MODULE_SETTINGS).flatMap(([key, kind]) =>
    textsOf(settings, key as SettingKey).map((name) => ({ kind, name, path: resolve(base, expandHome(name)) })),
  );
  // A system shell is identified by its path; a shell inside the project is project code.
  const shells = textsOf(settings, "shellPath").map((path) => resolve(project, path));
  return {
    path: settings.path,
    sha256: settings.sha256,
    keys: keys.filter((key) => !(key in MODULE_SETTINGS)),
    modules: listed,
    files: shells.filter((path) => isInside(project, path) && existsSync(path)),
  };
}

function textsOf({ layer }: ProjectSettings, key: SettingKey): string[] {
  const value = layer.get(key);
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string" && text !== "");
}
