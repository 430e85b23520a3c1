/** A module that user code imports by name and that comes from inside the program. */
export interface VirtualModule {
  specifiers: readonly string[];
  load(): Promise<object>;
}

/** The names under which user code may import what pintle itself exports; the last two are those of its relatives. */
export const PINTLE_SPECIFIERS = ["pintle", "@f5-sales-demo/xcsh", "@oh-my-pi/pi-coding-agent"] as const;

/** The schema library under both of its names: one instance for everybody, also for modules with a copy of their own. */
const SCHEMA_MODULES: readonly VirtualModule[] = [
  { specifiers: ["typebox", "@sinclair/typebox"], load: () => import("typebox") },
  { specifiers: ["typebox/type"], load: () => import("typebox/type") },
  { specifiers: ["typebox/value", "@sinclair/typebox/value"], load: () => import("typebox/value") },
  { specifiers: ["typebox/compile"], load: () => import("typebox/compile") },
  { specifiers: ["typebox/schema"], load: () => import("typebox/schema") },
  { specifiers: ["@sinclair/typebox/compiler"], load: () => import("./typebox-compiler.ts") },
];

const provided = new Map<string, Promise<void>>();

/**
 * Makes the schema library and these modules importable for whatever is loaded from disk afterwards, in this whole process;
 * of two modules with one name the first stays. Does nothing for what is there already.
 */
export async function provideModules(modules: readonly VirtualModule[]): Promise<void> {
  const rows = [...SCHEMA_MODULES, ...modules].flatMap(({ specifiers, load }) =>
    specifiers.map((specifier) => ({ specifier, load })),
  );
  await Promise.all(rows.map(provide));
}

function provide({ specifier, load }: { specifier: string; load(): Promise<object> }): Promise<void> {
  let done = provided.get(specifier);
  if (!done) {
    done = register(specifier, load);
    provided.set(specifier, done);
  }
  return done;
}

/**
 * Loaded first and registered then, because the other way round `load` would find the registered module, that is, itself.
 * It also lets CommonJS code `require` them, which cannot wait.
 */
async function register(specifier: string, load: () => Promise<object>): Promise<void> {
  const exports = { ...(await load()) };
  Bun.plugin({
    name: `pintle: ${specifier}`,
    setup: (build) => void build.module(specifier, () => ({ exports, loader: "object" })),
  });
}
