import type { ProjectTrust } from "../trust/project-trust.ts";

interface Source {
  realPath: string;
  mayLoad?(): boolean;
}

/** Those of a project only with consent to their present content, which counts once more when they are imported. */
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
