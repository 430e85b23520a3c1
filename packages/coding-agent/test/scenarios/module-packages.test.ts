import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dist, program, runProgram } from "../support/program.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Tests packages next to users' modules, which the built program resolves by their package.json.

/** By their path in node_modules. */
const PACKAGES: Record<string, string> = {
  "plain/index.js": "exports.is = 'plain';",
  "main/package.json": '{"main":"lib/start.js"}',
  "main/lib/start.js": "exports.is = 'main';",
  "folder/package.json": '{"main":"./lib"}',
  "folder/lib/index.js": "exports.is = 'folder';",
  "@scope/name/package.json": '{"main":"dist/a.cjs"}',
  "@scope/name/dist/a.cjs": "exports.is = 'scope';",
  "esm/package.json": '{"type":"module","exports":"./src/e.js"}',
  "esm/src/e.js": "export const is = 'esm';",
  "both/package.json": '{"exports":{".":{"import":"./i.mjs","require":"./r.cjs"}}}',
  "both/i.mjs": "export const is = 'by import';",
  "both/r.cjs": "exports.is = 'by require';",
  "conditions/package.json":
    '{"main":"./old.js","exports":{".":{"browser":"./no.js","node":{"worker":"./no.js","default":"./n.js"},"default":"./no.js"}}}',
  "conditions/n.js": "exports.is = 'node';",
  "conditions/no.js": "throw new Error('the wrong entry');",
  "conditions/old.js": "throw new Error('the old entry');",
  "paths/package.json":
    '{"exports":{".":"./a.js","./sub":"./lib/s.js","./parts/*":"./lib/parts/*.js","./parts/secret/*":null}}',
  "paths/a.js": "exports.is = 'paths';",
  "paths/lib/s.js": "exports.is = 'sub';",
  "paths/lib/parts/deep/p.js": "exports.is = 'pattern';",
  "paths/lib/parts/secret/p.js": "exports.is = 'hidden';",
  "own/package.json":
    '{"name":"own","exports":{".":"./a.js","./b":"./b.js"},"imports":{"#in":{"node":"./in.js"},"#to/*":"./to/*.js"}}',
  "own/a.js": "exports.is = [require('#in').is, require('#to/x').is, require('own/b').is].join();",
  "own/in.js": "exports.is = 'inner';",
  "own/to/x.js": "exports.is = 'mapped';",
  "own/b.js": "exports.is = 'itself';",
  "outer/package.json": '{"main":"m.js"}',
  "outer/m.js": "exports.is = require('dep').is + ' and ' + require('main').is;",
  "outer/node_modules/dep/package.json": '{"version":"1.0.0","exports":"./one.js"}',
  "outer/node_modules/dep/one.js": "exports.is = 'first';",
  "dep/package.json": '{"version":"2.0.0","exports":"./two.js"}',
  "dep/two.js": "exports.is = 'second';",
  "typebox/package.json": '{"main":"x.js"}',
  "typebox/x.js": "exports.is = 'a copy';",
};

const FOUND: Record<string, string> = {
  plain: "plain",
  main: "main",
  folder: "folder",
  "@scope/name": "scope",
  esm: "esm",
  conditions: "node",
  paths: "paths",
  "paths/sub": "sub",
  "paths/parts/deep/p": "pattern",
  own: "inner,mapped,itself",
  outer: "first and main",
  dep: "second",
};
const EXPECTED = {
  import: { ...FOUND, both: "by import" },
  require: { ...FOUND, both: "by require" },
  "createRequire()": { ...FOUND, both: "by require" },
};
const REFUSED = ["paths/lib/s.js", "paths/parts/secret/p", "both/r.cjs", "missing", "own/in"];

/** Writes what it finds into the file OUT. */
const MODULE = `
  import { writeFileSync } from "node:fs";
  import { createRequire } from "node:module";
  import { is as fixed } from "both";
  const ways = { import: (name) => import(name), require: (name) => require(name), "createRequire()": createRequire(import.meta.url) };
  const names = ${JSON.stringify([...Object.keys(FOUND), "both"])};
  export default async function () {
    const found = {};
    for (const [way, get] of Object.entries(ways)) {
      found[way] = {};
      for (const name of names) found[way][name] = await Promise.resolve().then(() => get(name)).then((module) => module.is, String);
    }
    const isRefused = (name) => import(name).then(() => false, () => true);
    const refused = [];
    for (const name of ${JSON.stringify(REFUSED)}) if (await isRefused(name)) refused.push(name);
    const schemas = typeof (await import("typebox")).Type.Object;
    writeFileSync(process.env.OUT, JSON.stringify({ found, refused, fixed, schemas }));
    return [];
  }`;

describe.each([
  ["an extension of the user", ".pintle/extensions", []],
  ["a custom tool of the user", ".pintle/tools", []],
  ["an extension of a project", "project/.pintle/extensions", ["--trust"]],
])("next to %s", (_whose, folder, flags) => {
  test("main, exports, conditions, patterns, imports and nested packages are resolved", async () => {
    using place = machine();
    const out = join(place.root, "out");
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(place.root, path)), { recursive: true });
      writeFileSync(join(place.root, path), text);
    };
    write("project/package.json", '{"imports":{"#in":"./evil.js"},"exports":"./evil.js"}');
    write("project/evil.js", "throw new Error('of the project');");
    write(`${folder}/it.ts`, MODULE);
    for (const [path, text] of Object.entries(PACKAGES)) write(`${folder}/node_modules/${path}`, text);
    const at = { cwd: join(place.root, "project"), env: { ...place.env, OUT: out } };
    const { code, stderr } = await runProgram([...flags, "-p", "help"], at);
    expect([code, /it\.ts/.test(stderr)]).toEqual([0, false]);
    expect(JSON.parse(readFileSync(out, "utf8"))).toEqual({
      found: EXPECTED,
      refused: REFUSED,
      fixed: "by import",
      schemas: "function",
    });
  });
});

test("a package.json that cannot be read is ignored, and nothing of it reaches stdout", async () => {
  using place = machine();
  const folder = join(place.root, ".pintle/extensions");
  mkdirSync(join(folder, "node_modules/plain"), { recursive: true });
  writeFileSync(join(folder, "node_modules/plain/index.js"), "exports.is = 'plain';");
  writeFileSync(join(folder, "node_modules/plain/package.json"), '{ "main": ');
  writeFileSync(join(folder, "package.json"), "\u0000 broken");
  writeFileSync(join(folder, "it.ts"), `import { is } from "plain"; export default () => console.error("loaded", is);`);
  const { code, stdout, stderr } = await runProgram(["--mode", "json", "help"], place);
  expect([code, stderr.includes("loaded plain")]).toEqual([0, true]);
  for (const line of stdout.trim().split("\n")) JSON.parse(line);
});

test.each(["dist/pintle", "bun cli.js"])("a missing package is not downloaded by %s", async (way) => {
  using place = machine();
  for (const name of ["cli.js", "start-program.cjs", "package.json", "pintle.bundle.js"])
    copyFileSync(join(dist, name), join(place.root, name));
  const command = way === "dist/pintle" ? [program] : [process.execPath, join(place.root, "cli.js")];
  const asked: string[] = [];
  using registry = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      asked.push(url);
      return new Response("", { status: 404 });
    },
  });
  mkdirSync(join(place.root, ".pintle/extensions"), { recursive: true });
  writeFileSync(join(place.root, ".pintle/extensions/package.json"), '{"dependencies":{"left-pad":"1.3.0"}}');
  writeFileSync(join(place.root, ".pintle/extensions/it.ts"), `import "left-pad"; export default () => {};`);
  const address = String(registry.url);
  const env = { ...place.env, BUN_CONFIG_REGISTRY: address, NPM_CONFIG_REGISTRY: address };
  const { stderr } = await runProgram(["-p", "help"], { ...place, env, command });
  expect(stderr).toContain("left-pad");
  expect(asked).toEqual([]);
});
