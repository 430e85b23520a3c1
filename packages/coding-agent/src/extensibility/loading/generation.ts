import type { Factory } from "./import-factory.ts";
import type { LoadFault } from "./load-fault.ts";
import { type Loaded, type LoadLimits, loadTogether } from "./load-together.ts";

/** A module to load. */
export interface LoadableSource {
  /** Where it was found. */
  path: string;
  realPath: string;
  mayLoad?(): boolean;
}

/** One run of a module's factory and what it registered. */
export interface ModuleInstance {
  readonly isActive: boolean;
  /** What could not be registered. */
  readonly loadFaults: readonly string[];
  /** Called once it has its place among the others. */
  join?(others: readonly this[]): void;
  /** What it holds is stale from now on. */
  retire(): void;
}

interface Member<A, I> {
  factory: Factory<A>;
  instance: I;
}

export interface GenerationParts<A, S extends LoadableSource, I extends ModuleInstance> {
  /** Imports a module, or gives its factory once more. */
  factoryOf(source: S): Promise<Factory<A>>;
  run(factory: Factory<A>, source: S): Promise<I>;
  limits?: LoadLimits | undefined;
}

/** What became of one module: faults of one that joined are those of its parts. */
export interface Joined<I> {
  instance?: I;
  faults: LoadFault[];
}

/** The instances of all modules that live at the same time: one session, or one load of the modules, and they go together. */
export class Generation<A, S extends LoadableSource, I extends ModuleInstance> {
  /** By real path: the same module may be found again. */
  readonly #members = new Map<string, Member<A, I>>();
  #sources: readonly S[] = [];
  #isOver = false;

  /** In load order. */
  get sources(): readonly S[] {
    return this.#sources;
  }

  /**
   * Runs the factories of those that are not there yet, all at once. Those that take too long are given to `onLate`, unless
   * the generation is over by then.
   */
  async join(
    sources: readonly S[],
    { factoryOf, run, limits }: GenerationParts<A, S, I>,
    onLate: (joined: Joined<I>) => void,
  ): Promise<LoadFault[]> {
    const added = without(sources, this.#sources);
    this.#sources = [...sources, ...without(this.#sources, sources)];
    const load = async (source: S): Promise<Member<A, I>> => {
      const factory = await factoryOf(source);
      return { factory, instance: await run(factory, source) };
    };
    const { inTime, late } = await loadTogether(added, load, limits);
    const joined = inTime.map((loaded) => this.#join(loaded));
    for (const loading of late) {
      // A load does not reject: a failure is its fault.
      void loading.then((loaded) => {
        if (!this.#isOver) onLate(this.#join(loaded));
        else if ("value" in loaded) loaded.value.instance.retire();
      });
    }
    return joined.flatMap(({ faults }) => faults);
  }

  /** In load order. */
  get instances(): readonly I[] {
    return this.#sources.flatMap(({ realPath }) => this.#members.get(realPath)?.instance ?? []);
  }

  factoryOf({ realPath }: S): Factory<A> | undefined {
    return this.#members.get(realPath)?.factory;
  }

  end(): void {
    this.#isOver = true;
    for (const instance of this.instances) instance.retire();
  }

  #join(loaded: Loaded<S, Member<A, I>>): Joined<I> {
    const { path, realPath } = loaded.source;
    if ("error" in loaded) return { faults: [{ path, error: loaded.error }] };
    const { instance } = loaded.value;
    instance.join?.(this.instances);
    this.#members.set(realPath, loaded.value);
    return { instance, faults: instance.loadFaults.map((error) => ({ path, error })) };
  }
}

function without<S extends LoadableSource>(sources: readonly S[], others: readonly S[]): S[] {
  const known = new Set(others.map(({ realPath }) => realPath));
  return sources.filter(({ realPath }) => !known.has(realPath));
}
