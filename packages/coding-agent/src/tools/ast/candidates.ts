import { listFiles } from "../search/list-files.ts";
import type { SearchContext } from "../search/ripgrep-run.ts";
import { isAbsent, type Language, type Languages, lacksPackage } from "./languages.ts";
import type { Scope } from "./scope.ts";

export type { SearchContext };

export interface Candidate {
  path: string;
  language: Language;
}

interface Refused {
  path: string;
  reason: string;
}

export interface Candidates {
  candidates: Candidate[];
  /** Files that the caller chose and that cannot be parsed, and others when nothing else is there. */
  refused: Refused[];
  isCut: boolean;
}

const MAX_CANDIDATES = 50_000;

/** The files of a scope that are in a language of this build, in path order. */
export async function findCandidates(
  context: SearchContext,
  request: { scope: Scope; languages: Languages; language?: Language | undefined },
  signal: AbortSignal,
): Promise<Candidates> {
  const { scope, languages, language } = request;
  const { paths, isCut } = await listFiles(context, {
    roots: scope.roots,
    limit: MAX_CANDIDATES,
    signal,
    skipsNodeModules: !scope.includesNodeModules,
    accepts: (path) => {
      if (!scope.includes(path)) return false;
      if (!scope.isNamed(path) && context.approved?.hides("ast_grep", path)) return false;
      return languages.ofFile(path) !== undefined || (language ? scope.isChosen(path) : scope.isNamed(path));
    },
  });
  const candidates: Candidate[] = [];
  const lacking: Refused[] = [];
  for (const path of paths) {
    const chosen = chooseLanguage(path, request);
    if (typeof chosen === "string") lacking.push({ path, reason: chosen });
    else if (chosen) candidates.push({ path, language: chosen });
  }
  const isBarren = candidates.length === 0;
  return { candidates, refused: lacking.filter(({ path }) => isBarren || scope.isChosen(path)), isCut };
}

/** A string: why there is none. undefined: none is needed. */
function chooseLanguage(
  path: string,
  { scope, languages, language: forced }: { scope: Scope; languages: Languages; language?: Language | undefined },
): Language | string | undefined {
  const own = languages.ofFile(path);
  // In a directory a forced language is for files that could be in it: a note or a stylesheet is none of them.
  if (forced) return scope.isChosen(path) || own?.family === forced.family ? forced : undefined;
  if (!own) return "its name does not tell the language; set lang";
  return isAbsent(own) ? lacksPackage(own) : own;
}
