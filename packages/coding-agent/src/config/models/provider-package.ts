import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText, ProviderError } from "@pintle/ai";

const PACKAGE = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:\/[\w~-][\w.~-]*)*$/i;

/**
 * Returns whether the text is a package name, optionally with an entry point: `@ai-sdk/google-vertex/anthropic`. Paths and URLs
 * are not.
 */
export function isPackageName(text: string): boolean {
  return PACKAGE.test(text);
}

/**
 * The AI SDK packages that a user may install: in HOME_DIR, or next to pintle. A project's packages are never used:
 * opening a directory must not load code that gets the user's keys.
 */
export class ProviderPackages {
  readonly #places: readonly string[];
  readonly #loaded = new Map<string, Promise<object>>();

  constructor(home: string | undefined, ownDirectory: string = programDirectory()) {
    this.#places = [...(home === undefined ? [] : [home]), ...ancestors(ownDirectory)];
  }

  isInstalled(name: string): boolean {
    return this.#placeOf(name) !== undefined;
  }

  /** Loads a package once per process; after a failure the next call tries again. */
  load(name: string): Promise<object> {
    const loading = this.#loaded.get(name) ?? this.#load(name);
    this.#loaded.set(name, loading);
    loading.catch(() => this.#loaded.delete(name));
    return loading;
  }

  async #load(name: string): Promise<object> {
    const place = this.#placeOf(name);
    if (place === undefined) {
      const folder = this.#places[0] ?? ".";
      throw new ProviderError(
        "invalid_request",
        `The package ${name} is not installed. To install it: npm install --prefix ${folder} ${PACKAGE.exec(name)?.[1]}`,
      );
    }
    try {
      return await importBundled(name, place);
    } catch (error) {
      const reason = errorText(error);
      throw new ProviderError("invalid_request", `The package ${name} could not be loaded: ${reason}`, {
        cause: error,
      });
    }
  }

  /** Checks each location separately, because the usual resolution would continue in the directories above. */
  #placeOf(name: string): string | undefined {
    const folder = PACKAGE.exec(name)?.[1];
    if (folder === undefined) return undefined;
    return this.#places.find((place) => existsSync(join(place, "node_modules", folder, "package.json")));
  }
}

/**
 * Bundles a package with its dependencies and evaluates it. A plain import that fails stays failed for the rest of the
 * process, but a user who lacks a package will install it and retry.
 */
async function importBundled(name: string, place: string): Promise<object> {
  const entry = join(place, "pintle-provider-entry.js"); // virtual; imports are resolved relative to this path
  const from = JSON.stringify(name);
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: `export * from ${from}; import * as all from ${from}; export default all.default;` },
    target: "bun",
    env: "disable",
    throw: false,
  });
  const [bundle] = outputs;
  if (!success || !bundle) throw new Error(logs.map(({ message }) => message).join("; "));
  const address = URL.createObjectURL(new Blob([await bundle.text()], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The modules of a compiled program are in a virtual file system. */
function programDirectory(): string {
  const isCompiled = /^(\/\$bunfs\/|B:\\~BUN)/.test(import.meta.path);
  return isCompiled ? dirname(process.execPath) : import.meta.dir;
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
