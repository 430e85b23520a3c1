import { guardExit } from "./exit-guard.ts";
import { importFile } from "./imported-files.ts";
import { describeThrown, LoadError } from "./load-fault.ts";
import { asUsersCode } from "./watchdog.ts";

/** What a module exports; called with the API of its kind. */
export type Factory<A> = (api: A) => unknown;

interface ModuleSource {
  realPath: string;
  /** Returns false if it must no longer be loaded. */
  mayLoad?(): boolean;
}

/**
 * Returns the function that a module exports. The modules it imports by name must be provided first (virtual-modules.ts). Throws
 * LoadError.
 */
export async function importFactory<A>({ realPath: file, mayLoad }: ModuleSource): Promise<Factory<A>> {
  guardExit();
  if (mayLoad?.() === false) throw new LoadError("It has changed since it was approved");
  let module: unknown;
  try {
    module = await asUsersCode(file, () => importFile(file));
  } catch (thrown) {
    throw new LoadError(`Import failed: ${describeThrown(thrown)}`);
  }
  const factory = candidates(module).find(isFactory<A>);
  if (factory) return factory;
  throw new LoadError("No function exported: the default export must be a function");
}

/** Returns the default export, that of CommonJS code compiled from ES modules, and the module itself. */
function candidates(module: unknown): unknown[] {
  const main = defaultOf(module);
  return [main, defaultOf(main), module];
}

function defaultOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "default" in value ? value.default : undefined;
}

/** The folder in which it was found decides which API it expects. */
function isFactory<A>(value: unknown): value is Factory<A> {
  return typeof value === "function";
}

/** Waits for the factory's result. Throws LoadError. */
export async function callFactory<A>(factory: Factory<A>, api: A, path: string): Promise<unknown> {
  try {
    return await asUsersCode(`the factory of ${path}`, () => factory(api));
  } catch (thrown) {
    throw new LoadError(`Factory threw: ${describeThrown(thrown)}`);
  }
}
