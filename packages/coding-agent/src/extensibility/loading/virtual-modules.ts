/** A module that user code imports by name and that is part of this program. */
export interface VirtualModule {
  specifiers: readonly string[];
  /** Called on the first import. Synchronous, so that CommonJS code can import it too. */
  load(): object;
}

/** The names under which user code may import what pintle exports; the last two are those of related programs. */
export const PINTLE_SPECIFIERS = ["pintle", "@f5-sales-demo/xcsh", "@oh-my-pi/pi-coding-agent"] as const;

/**
 * The schema library under both of its names, as one instance for all modules, even those with a copy of their own. Required
 * lazily, because most modules import at most the first row, and the others take as long to load as everything else here.
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
 * Makes the schema library and these modules importable for everything loaded from disk afterwards, in this whole process. If two
 * modules have the same name, the first wins. Modules that are already provided are skipped.
 */
export function provideModules(modules: readonly VirtualModule[]): void {
  const fresh = [...SCHEMA_MODULES, ...modules].flatMap(({ specifiers, load }) => {
    const exportsOf = once(load);
    return specifiers.filter((name) => !provided.has(name)).map((specifier) => ({ specifier, exportsOf }));
  });
  if (fresh.length === 0) return;
  for (const { specifier, exportsOf } of fresh) {
    provided.add(specifier);
    // Outside a bundle, a later `load` would import the virtual module itself.
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
