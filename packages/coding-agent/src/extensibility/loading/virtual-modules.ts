/** A module that user code imports by name and that comes from inside the program. */
export interface VirtualModule {
  specifiers: readonly string[];
  /** Called with the first import. It waits for nothing, so that CommonJS code, which cannot wait, has the module too. */
  load(): object;
}

/** The names under which user code may import what pintle itself exports; the last two are those of its relatives. */
export const PINTLE_SPECIFIERS = ["pintle", "@f5-sales-demo/xcsh", "@oh-my-pi/pi-coding-agent"] as const;

/**
 * The schema library under both of its names: one instance for all modules, also for modules with a copy of their own. Required,
 * because most modules import the first row at most, and the others take as long to load as everything else here.
 */
const SCHEMA_MODULES: readonly VirtualModule[] = [
  { specifiers: ["typebox", "@sinclair/typebox"], load: () => require("typebox") },
  { specifiers: ["typebox/type"], load: () => require("typebox/type") },
  { specifiers: ["typebox/value", "@sinclair/typebox/value"], load: () => require("typebox/value") },
  { specifiers: ["typebox/compile"], load: () => require("typebox/compile") },
  { specifiers: ["typebox/schema"], load: () => require("typebox/schema") },
  { specifiers: ["@sinclair/typebox/compiler"], load: olderCompiler },
];

function olderCompiler(): object {
  const { TypeCompiler }: typeof import("./typebox-compiler.ts") = require("./typebox-compiler.ts");
  return { TypeCompiler };
}

const provided = new Set<string>();

/**
 * Makes the schema library and these modules importable for whatever is loaded from disk afterwards, in this whole process;
 * of two modules with one name the first stays. Does nothing for what is there already.
 */
export function provideModules(modules: readonly VirtualModule[]): void {
  const fresh = [...SCHEMA_MODULES, ...modules].flatMap(({ specifiers, load }) => {
    const exportsOf = once(load);
    return specifiers.filter((name) => !provided.has(name)).map((specifier) => ({ specifier, exportsOf }));
  });
  if (fresh.length === 0) return;
  for (const { specifier, exportsOf } of fresh) {
    provided.add(specifier);
    // Outside of a bundle `load` would find the registered module later on, that is, itself.
    if (!IS_BUNDLED) exportsOf();
  }
  Bun.plugin({
    name: "pintle",
    setup(build) {
      for (const { specifier, exportsOf } of fresh) {
        build.module(specifier, () => ({ exports: exportsOf(), loader: "object" }));
      }
    },
  });
}

const IS_BUNDLED = !import.meta.path.endsWith(".ts");

function once(load: () => object): () => Record<string, unknown> {
  let exports: Record<string, unknown> | undefined;
  return () => {
    exports ??= { ...load() };
    return exports;
  };
}
