// Bundles the script of the live page and its views, and prints them as JSON. A process of its own runs this during the build.
// The page's script contains every module that it needs itself; a view gets those from the page, so that no module
// exists twice.

import { existsSync, readdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { BunPlugin } from "bun";

/** The scripts of the live page, and what bundle.ts makes of them. */
export interface LiveScripts {
  page: string;
  /** By name. */
  views: Record<string, string>;
}

const LIVE = `${import.meta.dir}/src/live`;
const PAGE = `${LIVE}/main.ts`;
const VIEWS = `${LIVE}/views`;
const GLOBAL = "globalThis.pintleViews";

if (import.meta.main) process.stdout.write(JSON.stringify(await bundleLive()));

async function bundleLive(): Promise<LiveScripts> {
  const own = await pageModules();
  const shared = new Set<string>();
  const views: Record<string, string> = {};
  for (const file of readdirSync(VIEWS).filter((name) => name.endsWith(".ts"))) {
    const name = file.slice(0, -".ts".length);
    // Built before the view: a build inside of another one never ends.
    const style = await styleOf(name);
    views[name] = await bundle(VIEWS, viewPlugin({ name, style }, own, shared));
  }
  return { page: await bundle(PAGE, sharePlugin([...shared].sort())), views };
}

/** Returns the files of the modules that the page's script contains without any view. */
async function pageModules(): Promise<ReadonlySet<string>> {
  const { metafile } = await build(PAGE, [], true);
  const files = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [Bun.resolveSync(`./${file}`, process.cwd())] : [],
    ),
  );
  return new Set(files);
}

interface View {
  name: string;
  /** Its style sheet, or an empty string. */
  style: string;
}

/** Bundles a view without the modules in `own`, and adds those that it uses to `shared`. */
function viewPlugin({ name, style }: View, own: ReadonlySet<string>, shared: Set<string>): BunPlugin {
  const file = `${VIEWS}/${name}.ts`;
  return {
    name: "view",
    setup(builder) {
      builder.onResolve({ filter: /./ }, ({ path, importer }) => {
        if (path === VIEWS) return { path: name, namespace: "entry" };
        if (path === file) return undefined;
        const found = resolve(path, importer);
        if (found === undefined || !own.has(found)) return undefined;
        shared.add(found);
        return { path: moduleName(found), namespace: "shared" };
      });
      builder.onLoad({ filter: /./, namespace: "entry" }, () => ({
        contents: `import * as view from ${JSON.stringify(file)}; ${GLOBAL}.arrive(${JSON.stringify(name)}, view, ${JSON.stringify(style)});`,
        loader: "js",
      }));
      builder.onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({
        contents: `module.exports = ${GLOBAL}.shared[${JSON.stringify(path)}];`,
        loader: "js",
      }));
    },
  };
}

/** Adds the modules to what the page shares with its views. */
function sharePlugin(shared: readonly string[]): BunPlugin {
  const imports = shared.map((file, at) => `import * as shared${at} from ${JSON.stringify(file)};`);
  const rows = shared.map((file, at) => `${JSON.stringify(moduleName(file))}: shared${at}`);
  const code = `${imports.join("\n")}\nObject.assign(${GLOBAL}.shared, {${rows.join(", ")}});`;
  return {
    name: "share",
    setup(builder) {
      builder.onLoad({ filter: /\/live\/main\.ts$/ }, async ({ path }) => ({
        contents: `${await Bun.file(path).text()}\n${code}`,
        loader: "ts",
      }));
    },
  };
}

function resolve(path: string, importer: string): string | undefined {
  try {
    return Bun.resolveSync(path, dirname(importer));
  } catch {
    return undefined; // the bundler reports it
  }
}

function moduleName(file: string): string {
  return relative(import.meta.dir, file);
}

/** Returns the style sheet next to the view, or an empty string. */
async function styleOf(name: string): Promise<string> {
  const file = `${VIEWS}/${name}.css`;
  return existsSync(file) ? (await bundle(file)).trim() : "";
}

async function bundle(entry: string, plugin?: BunPlugin): Promise<string> {
  const { outputs } = await build(entry, plugin ? [plugin] : []);
  return (await outputs[0]?.text()) ?? "";
}

function build(entry: string, plugins: BunPlugin[], metafile = false): Promise<Bun.BuildOutput> {
  return Bun.build({ entrypoints: [entry], plugins, metafile, target: "browser", format: "iife", minify: true });
}
