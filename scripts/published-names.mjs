// Renews the list of names that pi's published packages offer to extensions. It reads the packages and never runs them:
//   node scripts/published-names.mjs            (with --print it only prints the list)
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMain, root } from "./paths.mjs";
import { ensurePublishedPi, publishedReleases } from "./testing/published-pi.mjs";

const LIST = join(root, "packages/coding-agent/src/extensibility/aliases/published-names.json");

/** The modules of these packages that extensions can import, and the file with their exports. */
const MODULES = {
  "pi-coding-agent": { package: "pi-coding-agent", file: "dist/index.js" },
  "pi-ai": { package: "pi-ai", file: "dist/index.js" },
  "pi-ai/compat": { package: "pi-ai", file: "dist/compat.js" },
  "pi-ai/models": { package: "pi-ai", file: "dist/models.js" },
  "pi-ai/oauth": { package: "pi-ai", file: "dist/oauth.js" },
  "pi-ai/providers/all": { package: "pi-ai", file: "dist/providers/all.js" },
  "pi-agent-core": { package: "pi-agent-core", file: "dist/index.js" },
  "pi-tui": { package: "pi-tui", file: "dist/index.js" },
};

/** The interfaces of the extension API, in the declarations of pi-coding-agent. */
const INTERFACES = {
  methods: "ExtensionAPI",
  context: "ExtensionContext",
  toolContext: "ExtensionToolContext",
  commandContext: "ExtensionCommandContext",
  ui: "ExtensionUIContext",
  tool: "ToolDefinition",
};

/** The members of `ctx.modelRegistry` and `ctx.sessionManager`, from other declarations of the package. */
const VIEWS = {
  modelRegistry: { file: "dist/core/model-registry.d.ts", names: (text) => methodsOf(text, "ModelRegistry") },
  sessionManager: { file: "dist/core/session-manager.d.ts", names: pickedNames },
};

/** Returns the names that the packages of each release export. A name is listed under the newest version that has it. */
function readPublishedNames(releases) {
  const modules = Object.fromEntries(Object.keys(MODULES).map((name) => [name, {}]));
  const members = Object.fromEntries(
    ["events", ...Object.keys(INTERFACES), ...Object.keys(VIEWS)].map((kind) => [kind, {}]),
  );
  for (const { version, folders } of releases) {
    for (const [name, { package: owner, file }] of Object.entries(MODULES)) {
      add(modules[name], version, exportsOf(folders, owner, file));
    }
    const declarations = readFileSync(join(folders["pi-coding-agent"], "dist/core/extensions/types.d.ts"), "utf8");
    add(members.events, version, namesIn(declarations, /\bon\(event: "([^"]+)"/g));
    for (const [kind, name] of Object.entries(INTERFACES)) add(members[kind], version, membersOf(declarations, name));
    for (const [kind, { file, names }] of Object.entries(VIEWS)) {
      add(members[kind], version, names(readFileSync(join(folders["pi-coding-agent"], file), "utf8")));
    }
  }
  return { modules, members };
}

const namesIn = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);

/** Adds the names that no newer version has. */
function add(byVersion, version, names) {
  const known = new Set(Object.values(byVersion).flat());
  const fresh = [...new Set(names)].filter((name) => !known.has(name)).sort();
  if (fresh.length > 0) byVersion[version] = fresh;
}

/** A version that was never published on its own is inside the bundle of pi-coding-agent. */
function exportsOf(folders, owner, file) {
  const folder = folders[owner];
  if (folder === undefined) return bundledTuiExports(folders["pi-coding-agent"]);
  const path = join(folder, file);
  return existsSync(path) ? [...exportedNames(path)] : [];
}

const DECLARATION = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|var)\s+([\w$]+)/gm;
const LIST_OF_NAMES = /^export \{([^}]*)\}/gm;
const COMMENT = /\/\/.*$/gm;
const NAMESPACE = /^export \* as ([\w$]+) from/gm;
const ALL_OF = /^export \* from ["'](\.[^"']+)["']/gm;

/** Returns the names that a compiled module exports, including those it re-exports. */
function exportedNames(path, seen = new Set()) {
  if (seen.has(path)) return new Set();
  seen.add(path);
  const source = readFileSync(path, "utf8");
  const listed = [...source.matchAll(LIST_OF_NAMES)].flatMap(([, list]) => list.replace(COMMENT, "").split(","));
  const names = new Set([
    ...namesIn(source, DECLARATION),
    ...namesIn(source, NAMESPACE),
    ...listed
      .map((item) =>
        item
          .trim()
          .split(/\s+as\s+/)
          .at(-1),
      )
      .filter((name) => name && name !== "default"),
  ]);
  for (const [, target] of source.matchAll(ALL_OF)) {
    for (const name of exportedNames(join(dirname(path), target), seen)) names.add(name);
  }
  return names;
}

function bundledTuiExports(codingAgent) {
  const folder = join(codingAgent, "dist/bundle/chunks");
  const source = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .find((text) => text.includes("CURSOR_MARKER:()=>"));
  const map = /\{([^{}]*\bCURSOR_MARKER:\(\)=>[^{}]*)\}/.exec(source ?? "")?.[1];
  if (map === undefined) throw new Error("The bundle of pi-coding-agent has no exports of pi-tui");
  return namesIn(map, /([\w$]+):\(\)=>/g);
}

/** The methods of a session manager that extensions get: `Pick<SessionManager, "a" | "b">`. */
function pickedNames(declarations) {
  const [, list = ""] = /ReadonlySessionManager = Pick<SessionManager, ([^>]*)>/.exec(declarations) ?? [];
  return namesIn(list, /"([^"]+)"/g);
}

/** The members that an interface declares itself. */
function membersOf(declarations, name) {
  const body = bodyOf(declarations, `interface ${name}`);
  return namesIn(body, /^ {4}(?:readonly |get )?([\w$]+)\??(?:<[^\n]*>)?[(:]/gm);
}

/** The methods that a class declares itself. */
function methodsOf(declarations, name) {
  const methods = namesIn(bodyOf(declarations, `declare class ${name}`), /^ {4}([\w$]+)(?:<[^\n]*>)?\(/gm);
  return methods.filter((method) => method !== "constructor");
}

function bodyOf(declarations, head) {
  const start = declarations.search(new RegExp(`^export ${head}\\b`, "m"));
  return start === -1 ? "" : declarations.slice(declarations.indexOf("{\n", start), declarations.indexOf("\n}", start));
}

if (isMain(import.meta.url)) {
  ensurePublishedPi();
  const list = `${JSON.stringify(readPublishedNames(publishedReleases()), null, 2)}\n`;
  if (process.argv.includes("--print")) process.stdout.write(list);
  else {
    writeFileSync(LIST, list);
    execFileSync("npx", ["biome", "format", "--write", LIST], { cwd: root, stdio: "inherit" });
  }
}
