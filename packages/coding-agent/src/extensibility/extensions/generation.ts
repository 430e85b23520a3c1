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
  readonly sources: readonly ExtensionSource[];
  readonly #members = new Map<ExtensionSource, Member>();
  #isOver = false;

  static readonly NONE = new Generation([]);

  /** Runs all factories at once. Those that take too long are given to `onLate`, unless the generation is over by then. */
  static async begin(
    sources: readonly ExtensionSource[],
    { factoryOf, apiOf, limits }: GenerationParts,
    onLate: (joined: Joined) => void,
  ): Promise<{ generation: Generation; faults: LoadFault[] }> {
    const generation = new Generation(sources);
    const load = async (source: ExtensionSource): Promise<Member> => {
      const factory = await factoryOf(source);
      const instance = new ExtensionInstance(source);
      await callFactory(factory, apiOf(instance));
      return { factory, instance };
    };
    const { inTime, late } = await loadTogether(sources, load, limits);
    const joined = inTime.map((loaded) => generation.#join(loaded));
    for (const loading of late) {
      void loading.then((loaded) => {
        if (!generation.#isOver) onLate(generation.#join(loaded));
        else if ("value" in loaded) loaded.value.instance.retire();
      });
    }
    return { generation, faults: joined.flatMap((one) => ("fault" in one ? [one.fault] : [])) };
  }

  private constructor(sources: readonly ExtensionSource[]) {
    this.sources = sources;
  }

  /** In load order. */
  get instances(): readonly ExtensionInstance[] {
    return this.sources.flatMap((source) => this.#members.get(source)?.instance ?? []);
  }

  factoryOf(source: ExtensionSource): Factory | undefined {
    return this.#members.get(source)?.factory;
  }

  end(): void {
    this.#isOver = true;
    for (const instance of this.instances) instance.retire();
  }

  #join(loaded: Loaded<ExtensionSource, Member>): Joined {
    const { source } = loaded;
    if ("error" in loaded) return { fault: { path: source.path, error: loaded.error } };
    this.#members.set(source, loaded.value);
    return { instance: loaded.value.instance };
  }
}
