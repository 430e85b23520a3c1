import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProviderError } from "@pintle/ai";

const PACKAGE = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:\/[\w~-][\w.~-]*)*$/i;

/** A package, perhaps with an entry of its own: `@ai-sdk/google-vertex/anthropic`. No path, no address. */
export function isPackageName(text: string): boolean {
  return PACKAGE.test(text);
}

/**
 * The AI SDK packages a user may install: in HOME_DIR, or beside pintle. A project's are never looked at: opening a
 * directory must not bring in code that gets the user's keys.
 */
export class ProviderPackages {
  readonly #places: readonly string[];

  constructor(home: string | undefined, ownDirectory: string = programDirectory()) {
    this.#places = [...(home === undefined ? [] : [home]), ...ancestors(ownDirectory)];
  }

  isInstalled(name: string): boolean {
    return this.#placeOf(name) !== undefined;
  }

  async load(name: string): Promise<object> {
    const place = this.#placeOf(name);
    if (place === undefined) {
      const folder = this.#places[0] ?? ".";
      throw new ProviderError(
        "invalid_request",
        `The package ${name} is not installed. To install it: npm install --prefix ${folder} ${PACKAGE.exec(name)?.[1]}`,
      );
    }
    try {
      return await import(Bun.resolveSync(name, place));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ProviderError("invalid_request", `The package ${name} could not be loaded: ${reason}`, {
        cause: error,
      });
    }
  }

  /** Asked for each place alone: the usual search would go on in the directories above. */
  #placeOf(name: string): string | undefined {
    const folder = PACKAGE.exec(name)?.[1];
    if (folder === undefined) return undefined;
    return this.#places.find((place) => existsSync(join(place, "node_modules", folder, "package.json")));
  }
}

/** The modules of a compiled program lie in a file system of its own. */
function programDirectory(): string {
  const isCompiled = /^(\/\$bunfs\/|B:\\~BUN)/.test(import.meta.path);
  return isCompiled ? dirname(process.execPath) : import.meta.dir;
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
