import { Generation, type Joined, type LoadableSource, type ModuleInstance } from "./generation.ts";
import { type Factory, importFactory } from "./import-factory.ts";
import { forgetModules } from "./imported-files.ts";
import type { LoadFault } from "./load-fault.ts";
import type { LoadLimits } from "./load-together.ts";

export interface ModuleSetParts<A, S extends LoadableSource, I extends ModuleInstance> {
  /** Modules of the program that embeds pintle; these are not imported. */
  inline?: ReadonlyMap<S, Factory<A>>;
  limits?: LoadLimits | undefined;
  /** Calls a module's factory and keeps what it registers. */
  run(factory: Factory<A>, source: S): Promise<I>;
  /** Called when these have run their factories and may act. */
  activate(instances: readonly I[]): void;
  /** Like `activate`, for a module that was not ready in time. */
  activateLate(instance: I): void;
  report(fault: LoadFault): void;
}

/** The loaded modules of one kind: the current instances, and how they are replaced. */
export class ModuleSet<A, S extends LoadableSource, I extends ModuleInstance> {
  readonly #parts: ModuleSetParts<A, S, I>;
  readonly #inline: ReadonlyMap<S, Factory<A>>;
  #generation = new Generation<A, S, I>();
  #replacing: Promise<void> | undefined;

  constructor(parts: ModuleSetParts<A, S, I>) {
    this.#parts = parts;
    this.#inline = parts.inline ?? new Map();
  }

  /** The instances, in load order. */
  get instances(): readonly I[] {
    return this.#generation.instances;
  }

  /** While instances are being replaced, a promise that resolves when the new ones are loaded. */
  get replaced(): Promise<void> | undefined {
    return this.#replacing;
  }

  load(sources: readonly S[]): Promise<void> {
    return this.#replace(() => this.#importAll(sources));
  }

  /** Imports the modules from disk again. `leave` ends the current ones. */
  reload(sources: readonly S[], leave: () => Promise<void>): Promise<void> {
    return this.#replace(async () => {
      await leave();
      forgetModules([...this.#generation.sources, ...sources].map(({ realPath }) => realPath));
      await this.#importAll(sources);
    });
  }

  /** Runs the same factories again or, with `sources`, those of these modules, some of which may be new. */
  renew(sources?: readonly S[]): Promise<void> {
    return this.#replace(() => {
      const before = this.#generation;
      const wanted = sources ? [...sources, ...this.#inline.keys()] : before.sources;
      return this.#begin(wanted, async (source) => before.factoryOf(source) ?? this.#importFresh(source));
    });
  }

  /** Loads those of these modules that are not loaded yet, and returns them. */
  async join(sources: readonly S[]): Promise<readonly I[]> {
    const before = new Set(this.instances);
    await this.#replace(() => this.#load(sources, (source) => this.#importFresh(source)));
    return this.instances.filter((instance) => !before.has(instance));
  }

  /** Ends all instances; what they hold is stale from now on. */
  end(): void {
    this.#generation.end();
  }

  /** Runs replacements one after the other; the last one wins. */
  async #replace(work: () => Promise<void>): Promise<void> {
    const before = this.#replacing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#replacing = promise;
    try {
      await before;
      await work();
      this.#parts.activate(this.instances.filter(({ isActive }) => !isActive));
    } finally {
      if (this.#replacing === promise) this.#replacing = undefined;
      resolve();
    }
  }

  #begin(sources: readonly S[], factoryOf: (source: S) => Promise<Factory<A>>): Promise<void> {
    return this.#load(sources, factoryOf, new Generation());
  }

  async #load(
    sources: readonly S[],
    factoryOf: (source: S) => Promise<Factory<A>>,
    generation = this.#generation,
  ): Promise<void> {
    const { run, limits, report } = this.#parts;
    const faults = await generation.join(sources, { factoryOf, run, limits }, (joined) => this.#joinLate(joined));
    this.#generation = generation;
    for (const fault of faults) report(fault);
  }

  #importAll(sources: readonly S[]): Promise<void> {
    return this.#begin([...sources, ...this.#inline.keys()], (source) => this.#import(source));
  }

  #import(source: S): Promise<Factory<A>> {
    const inline = this.#inline.get(source);
    return inline ? Promise.resolve(inline) : importFactory(source);
  }

  /** Imports the current version from disk, because an earlier import may have loaded another one. */
  #importFresh(source: S): Promise<Factory<A>> {
    if (!this.#inline.has(source)) forgetModules([source.realPath]);
    return this.#import(source);
  }

  #joinLate({ instance, faults }: Joined<I>): void {
    for (const fault of faults) this.#parts.report(fault);
    if (instance) this.#parts.activateLate(instance);
  }
}
