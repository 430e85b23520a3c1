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
  /** Called once the instance is part of the generation, with the other instances. */
  join?(others: readonly this[]): void;
  /** Makes everything that it holds stale. */
  retire(): void;
}

interface Member<A, I> {
  factory: Factory<A>;
  instance: I;
}

export interface GenerationParts<A, S extends LoadableSource, I extends ModuleInstance> {
  /** Imports a module, or returns its factory again. */
  factoryOf(source: S): Promise<Factory<A>>;
  run(factory: Factory<A>, source: S): Promise<I>;
  limits?: LoadLimits | undefined;
}

/** The outcome of loading one module. If it has an instance, the faults concern parts of it, such as one of its tools. */
export interface Joined<I> {
  instance?: I;
  faults: LoadFault[];
}

/** Owns the instances of modules that start and end together: those of one session, or of one load of the modules. */
export class Generation<A, S extends LoadableSource, I extends ModuleInstance> {
  /** By real path, because the same module may be found twice. */
  readonly #members = new Map<string, Member<A, I>>();
  #sources: readonly S[] = [];
  #isOver = false;

  /** The sources, in load order. */
  get sources(): readonly S[] {
    return this.#sources;
  }

  /**
   * Runs the factories of new modules, all at once. Modules that take too long are passed to `onLate`, unless the generation has
   * ended by then.
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
      // Never rejects: a failure becomes a fault.
      void loading.then((loaded) => {
        if (!this.#isOver) onLate(this.#join(loaded));
        else if ("value" in loaded) loaded.value.instance.retire();
      });
    }
    return joined.flatMap(({ faults }) => faults);
  }

  /** The instances, in load order. */
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
