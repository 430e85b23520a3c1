import { dirname } from "node:path";
import type { Settings } from "../config/settings/settings.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { consentedSources } from "./consented-sources.ts";
import { discoverExtensions, type ExtensionSource } from "./extensions/discovery.ts";

export interface ExtensionPlacesParts {
  cwd: string;
  home: string;
  settings: Settings;
  trust: ProjectTrust;
  /** From the command line. */
  extensionPaths: readonly string[];
  /** False: only those of the command line. */
  hasExtensions: boolean;
}

/** Which extensions may be loaded now. Reads names only. */
export function findExtensions(parts: ExtensionPlacesParts): {
  sources: ExtensionSource[];
  errors: { path: string; error: string }[];
} {
  const { cwd, home, settings, trust, extensionPaths, hasExtensions } = parts;
  const { file, layer } = settings.origin("extensions");
  const baseDir = file === undefined ? cwd : dirname(file);
  const { sources, errors } = discoverExtensions({
    cwd,
    home,
    isProjectTrusted: trust.isTrusted,
    settingsPaths: settings.get("extensions").map((path) => ({ path, baseDir })),
    flagPaths: extensionPaths,
    isDiscoveryOn: hasExtensions,
    disabled: settings.get("disabledExtensions"),
  });
  const isProjects = ({ scope }: ExtensionSource) =>
    scope === "project" || (scope === "settings" && layer === "project");
  return { errors, sources: consentedSources(sources, trust, isProjects) };
}
