import { dirname } from "node:path";
import type { Settings } from "../../config/settings/settings.ts";
import type { ProjectTrust } from "../../trust/project-trust.ts";
import { type DiscoveredModules, discoverModules, type ModuleKind, type ModuleSource } from "./discovery.ts";

export interface FindParts {
  cwd: string;
  home: string;
  settings: Settings;
  trust: Pick<ProjectTrust, "isTrusted" | "isStillTrusted">;
  /** Paths from the command line. */
  flagPaths: Readonly<Record<ModuleKind, readonly string[]>>;
  /** With false, only extensions named on the command line are loaded. */
  hasExtensions: boolean;
}

const SETTING = { extension: "extensions", tool: "customTools" } as const;

/** Returns the modules that may be loaded now. Reads only names. */
export function findModules(
  kind: ModuleKind,
  { cwd, home, settings, trust, flagPaths, hasExtensions }: FindParts,
): DiscoveredModules {
  const { file, layer } = settings.origin(SETTING[kind]);
  const baseDir = file === undefined ? cwd : dirname(file);
  const { sources, errors } = discoverModules(kind, {
    cwd,
    home,
    isTrusted: trust.isTrusted,
    settingsPaths: settings.get(SETTING[kind]).map((path) => ({ path, baseDir })),
    flagPaths: flagPaths[kind],
    ...(kind === "extension" && { isDiscoveryOn: hasExtensions, disabled: settings.get("disabledExtensions") }),
  });
  const isProjects = ({ scope }: ModuleSource) => scope === "project" || (scope === "settings" && layer === "project");
  return { errors, sources: consentedSources(sources, trust, isProjects) };
}

interface Source {
  realPath: string;
  mayLoad?(): boolean;
}

/** Keeps project modules only if the user trusts their current content, which is checked again at the import. */
export function consentedSources<S extends Source>(
  sources: readonly S[],
  trust: Pick<ProjectTrust, "isStillTrusted">,
  isProjects: (source: S) => boolean,
): S[] {
  return sources.flatMap((source) => {
    if (!isProjects(source)) return [source];
    const mayLoad = () => trust.isStillTrusted(source.realPath);
    return mayLoad() ? [{ ...source, mayLoad }] : [];
  });
}
