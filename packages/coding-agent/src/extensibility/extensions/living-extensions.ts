import { type Factory, importFactory } from "../modules/import-factory.ts";
import type { LoadFault } from "../modules/load-fault.ts";
import type { LoadLimits } from "../modules/load-together.ts";
import { forgetModules } from "../modules/loaded-modules.ts";
import type { ExtensionSource } from "./discovery.ts";
import type { ExtensionInstance } from "./extension-instance.ts";
import { Generation, type Joined } from "./generation.ts";
import type { ExtensionAPI, ExtensionFactory } from "./types.ts";

export interface LivingExtensionsParts {
  /** From the program that embeds pintle; their path is `<inline:N>`. */
  inline: readonly ExtensionFactory[];
  limits?: LoadLimits | undefined;
  apiOf(instance: ExtensionInstance): ExtensionAPI;
  /** These have run their factories and can begin to act. */
  activate(instances: readonly ExtensionInstance[]): void;
  /** As above, for one that was not ready in time. */
  activateLate(instance: ExtensionInstance): void;
  report(fault: LoadFault): void;
}

/** Which instances live now, and how others take their place. */
export class LivingExtensions {
  readonly #parts: LivingExtensionsParts;
  readonly #inline: ReadonlyMap<ExtensionSource, Factory>;
  #generation = new Generation();
  #replacing: Promise<void> | undefined;

  constructor(parts: LivingExtensionsParts) {
    this.#parts = parts;
    this.#inline = new Map(parts.inline.map((factory, index) => [inlineSource(index), factory as unknown as Factory]));
  }

  /** In load order. */
  get instances(): readonly ExtensionInstance[] {
    return this.#generation.instances;
  }

  /** While others take their place: resolves when they are there. */
  get replaced(): Promise<void> | undefined {
    return this.#replacing;
  }

  load(sources: readonly ExtensionSource[]): Promise<void> {
    return this.#replace(() => this.#importAll(sources));
  }

  /** Imports the modules as they are on disk now. `leave` ends those of now. */
  reload(sources: readonly ExtensionSource[], leave: () => Promise<void>): Promise<void> {
    return this.#replace(async () => {
      await leave();
      forgetModules([...this.#generation.sources, ...sources].map(({ realPath }) => realPath));
      await this.#importAll(sources);
    });
  }

  /** Runs the same factories again; with `sources` those of these modules, some of which may be new. */
  renew(sources?: readonly ExtensionSource[]): Promise<void> {
    return this.#replace(() => {
      const before = this.#generation;
      const wanted = sources ? [...sources, ...this.#inline.keys()] : before.sources;
      return this.#begin(wanted, async (source) => before.factoryOf(source) ?? this.#importFresh(source));
    });
  }

  /** Those of these modules that are not there yet join the others. Gives them. */
  async join(sources: readonly ExtensionSource[]): Promise<readonly ExtensionInstance[]> {
    const before = new Set(this.instances);
    await this.#replace(() => this.#load(sources, (source) => this.#importFresh(source)));
    return this.instances.filter((instance) => !before.has(instance));
  }

  /** What they hold is stale from now on. */
  end(): void {
    this.#generation.end();
  }

  /** One after the other: who replaces twice gets the last. */
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

  #begin(sources: readonly ExtensionSource[], factoryOf: (source: ExtensionSource) => Promise<Factory>): Promise<void> {
    return this.#load(sources, factoryOf, new Generation());
  }

  async #load(
    sources: readonly ExtensionSource[],
    factoryOf: (source: ExtensionSource) => Promise<Factory>,
    generation = this.#generation,
  ): Promise<void> {
    const { apiOf, limits, report } = this.#parts;
    const faults = await generation.join(sources, { factoryOf, apiOf, limits }, (joined) => this.#joinLate(joined));
    this.#generation = generation;
    for (const fault of faults) report(fault);
  }

  #importAll(sources: readonly ExtensionSource[]): Promise<void> {
    return this.#begin([...sources, ...this.#inline.keys()], (source) => this.#import(source));
  }

  #import(source: ExtensionSource): Promise<Factory> {
    const inline = this.#inline.get(source);
    return inline ? Promise.resolve(inline) : importFactory(source);
  }

  /** As it is on disk now: it may have been another one when it was imported before. */
  #importFresh(source: ExtensionSource): Promise<Factory> {
    if (!this.#inline.has(source)) forgetModules([source.realPath]);
    return this.#import(source);
  }

  #joinLate(joined: Joined): void {
    if ("fault" in joined) this.#parts.report(joined.fault);
    else this.#parts.activateLate(joined.instance);
  }
}

function inlineSource(index: number): ExtensionSource {
  const path = `<inline:${index + 1}>`;
  return { path, realPath: path, scope: "inline" };
}
