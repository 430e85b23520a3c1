import { guardExit } from "./exit-guard.ts";
import { describeThrown, LoadError } from "./load-fault.ts";
import { importFile } from "./loaded-modules.ts";
import { asUsersCode } from "./watchdog.ts";

export type Factory = (api: unknown) => unknown;

interface ModuleSource {
  realPath: string;
  /** False: it must not be loaded any more. */
  mayLoad?(): boolean;
}

/** The function a module exports. Its bare imports must be provided before (virtual-modules.ts). Throws LoadError. */
export async function importFactory({ realPath: file, mayLoad }: ModuleSource): Promise<Factory> {
  guardExit();
  if (mayLoad?.() === false) throw new LoadError("It has changed since somebody agreed to it");
  let module: unknown;
  try {
    module = await asUsersCode(file, () => importFile(file));
  } catch (thrown) {
    throw new LoadError(`Import failed: ${describeThrown(thrown)}`);
  }
  const factory = candidates(module).find((value) => typeof value === "function");
  if (factory) return factory as Factory;
  throw new LoadError("No function exported: the default export must be a function");
}

/** The default export, that of CommonJS code compiled from ES modules, or the module itself. */
function candidates(module: unknown): unknown[] {
  const { default: main } = module as { default?: unknown };
  const inner = typeof main === "object" && main !== null ? (main as { default?: unknown }).default : undefined;
  return [main, inner, module];
}

/** Waits for what the factory makes. Throws LoadError. */
export async function callFactory(factory: Factory, api: unknown, path: string): Promise<unknown> {
  try {
    return await asUsersCode(`the factory of ${path}`, () => factory(api));
  } catch (thrown) {
    throw new LoadError(`Factory threw: ${describeThrown(thrown)}`);
  }
}
