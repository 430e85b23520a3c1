import { readdirSync } from "node:fs";
import { join } from "node:path";
import { canonicalPath } from "../../files/canonical-path.ts";
import { isMissing, isSystemError } from "../../files/system-error.ts";
import { nameKey, namesBelow } from "./path-containment.ts";

const PROTECTED_NAME = /^(?:auth\.json|trust\.json|mcp\.json|settings\..*|models\..*|extensions|tools)$/;

/**
 * Throws when the path is one of pintle's own files, or something in one of its own directories: what is in there decides
 * what pintle may do, so no tool writes it. Counts for files that do not exist yet, for links to them from elsewhere, and
 * for the places to which the user's own links in there lead.
 */
export function refuseProtectedPath(path: string, home: string, shownPath: string): void {
  if (!isProtectedPath(path, home)) return;
  throw new Error(`${shownPath} belongs to pintle itself and cannot be changed by tools; ask the user to change it.`);
}

export function isProtectedPath(path: string, home: string): boolean {
  const target = canonicalPath(path);
  const realHome = canonicalPath(home);
  const [name] = namesBelow(target, realHome) ?? [];
  if (name !== undefined && PROTECTED_NAME.test(name)) return true;
  return placesBehind(realHome).some((place) => namesBelow(target, place) !== undefined);
}

/** Where the protected names lead: people keep such files elsewhere and link to them. */
function placesBehind(home: string): string[] {
  const names = namesIn(home).filter((name) => PROTECTED_NAME.test(nameKey(name)));
  return names.flatMap((name) => {
    try {
      return [canonicalPath(join(home, name))];
    } catch (error) {
      if (isSystemError(error)) return []; // a link that leads nowhere leads nobody to a file
      throw error;
    }
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
