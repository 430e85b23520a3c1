import { loadAstEngine } from "../../native/ast-engine.ts";
import type { ScopeArguments } from "./arguments.ts";
import { Languages } from "./languages.ts";
import type { ScanRequest } from "./scan.ts";
import { resolveScope } from "./scope.ts";

/** What both tools ask for, checked: throws what the model should read. Models also send "" for what they leave out. */
export function openScan(
  args: ScopeArguments,
  cwd: string,
): Pick<ScanRequest, "engine" | "languages" | "language" | "scope" | "sel"> {
  const engine = loadAstEngine();
  const languages = new Languages(engine.parsers);
  const lang = given(args.lang);
  return {
    engine,
    languages,
    language: lang === undefined ? undefined : languages.named(lang),
    scope: resolveScope({ path: given(args.path), glob: given(args.glob) }, cwd),
    sel: given(args.sel),
  };
}

function given(text: string | undefined): string | undefined {
  return text?.trim() === "" ? undefined : text;
}
