import type { Factory } from "../modules/import-factory.ts";
import { callFactory } from "../modules/import-factory.ts";
import type { LoadFault } from "../modules/load-fault.ts";
import { type Loaded, type LoadLimits, loadTogether } from "../modules/load-together.ts";
import type { ExtensionSource } from "./discovery.ts";
import { ExtensionInstance } from "./extension-instance.ts";
import type { ExtensionAPI } from "./types.ts";

interface Member {
  factory: Factory;
  instance: ExtensionInstance;
}

export interface GenerationParts {
  /** Imports a module, or gives its factory once more. */
  factoryOf(source: ExtensionSource): Promise<Factory>;
  apiOf(instance: ExtensionInstance): ExtensionAPI;
  limits?: LoadLimits | undefined;
}

/** What became of one extension. */
export type Joined = { instance: ExtensionInstance } | { fault: LoadFault };

/** The instances of all extensions that live at the same time: one session, or one load of the modules, and they go together. */
export class Generation {
  /** By real path: the same module may be found again. */
  readonly #members = new Map<string, Member>();
  #sources: readonly ExtensionSource[] = [];
  #isOver = false;

  /** In load order. */
  get sources(): readonly ExtensionSource[] {
    return this.#sources;
  }

  /**
   * Runs the factories of those that are not there yet, all at once. Those that take too long are given to `onLate`, unless
   * the generation is over by then.
   */
  async join(
    sources: readonly ExtensionSource[],
    { factoryOf, apiOf, limits }: GenerationParts,
    onLate: (joined: Joined) => void,
  ): Promise<LoadFault[]> {
    const added = without(sources, this.#sources);
    this.#sources = [...sources, ...without(this.#sources, sources)];
    const load = async (source: ExtensionSource): Promise<Member> => {
      const factory = await factoryOf(source);
      const instance = new ExtensionInstance(source);
      await callFactory(factory, apiOf(instance), instance.path);
      return { factory, instance };
    };
    const { inTime, late } = await loadTogether(added, load, limits);
    const joined = inTime.map((loaded) => this.#join(loaded));
    for (const loading of late) {
      void loading.then((loaded) => {
        if (!this.#isOver) onLate(this.#join(loaded));
        else if ("value" in loaded) loaded.value.instance.retire();
      });
    }
    return joined.flatMap((one) => ("fault" in one ? [one.fault] : []));
  }

  /** In load order. */
  get instances(): readonly ExtensionInstance[] {
    return this.#sources.flatMap(({ realPath }) => this.#members.get(realPath)?.instance ?? []);
  }

  factoryOf({ realPath }: ExtensionSource): Factory | undefined {
    return this.#members.get(realPath)?.factory;
  }

  end(): void {
    this.#isOver = true;
    for (const instance of this.instances) instance.retire();
  }

  #join(loaded: Loaded<ExtensionSource, Member>): Joined {
    const { source } = loaded;
    if ("error" in loaded) return { fault: { path: source.path, error: loaded.error } };
    this.#members.set(source.realPath, loaded.value);
    return { instance: loaded.value.instance };
  }
}

function without(sources: readonly ExtensionSource[], others: readonly ExtensionSource[]): ExtensionSource[] {
  const known = new Set(others.map(({ realPath }) => realPath));
  return sources.filter(({ realPath }) => !known.has(realPath));
}
