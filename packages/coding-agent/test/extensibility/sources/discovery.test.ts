import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { discoverModules, type ModulePlaces } from "../../../src/extensibility/sources/discovery.ts";
import { type ModuleFolder, moduleFolder } from "../../support/extensibility/module-folder.ts";

const MODULE = "export default () => {};";

function discover(folder: ModuleFolder, places: Partial<ModulePlaces> = {}) {
  const { sources, errors } = discoverModules("extension", {
    cwd: join(folder.path, "project"),
    home: join(folder.path, "home"),
    isTrusted: false,
    settingsPaths: [],
    flagPaths: [],
    ...places,
  });
  const short = (path: string) => relative(folder.path, path);
  return {
    sources: sources.map(({ path, scope }) => `${scope} ${short(path)}`),
    errors: errors.map(({ path, error }) => `${short(path)}: ${error}`),
  };
}

describe("discovery of extensions", () => {
  test("finds project, user, settings and flag sources in this order, the project's only with consent", () => {
    using folder = moduleFolder();
    folder.write("project/.pintle/extensions/p.ts", MODULE);
    folder.write("home/extensions/u.ts", MODULE);
    folder.write("settings/s.ts", MODULE);
    folder.write("project/f.ts", MODULE);
    const places = {
      settingsPaths: [{ path: "s.ts", baseDir: join(folder.path, "settings") }],
      flagPaths: ["f.ts"],
    };
    expect(discover(folder, places)).toEqual({
      sources: ["user home/extensions/u.ts", "settings settings/s.ts", "flag project/f.ts"],
      errors: [],
    });
    expect(discover(folder, { ...places, isTrusted: true })).toEqual({
      sources: [
        "project project/.pintle/extensions/p.ts",
        "user home/extensions/u.ts",
        "settings settings/s.ts",
        "flag project/f.ts",
      ],
      errors: [],
    });
  });

  test("a folder provides its index, the files its package.json names, or the modules in it", () => {
    using folder = moduleFolder();
    folder.write("home/extensions/a/index.ts", MODULE);
    folder.write("home/extensions/a/index.js", MODULE);
    folder.write("home/extensions/a/helper.ts", MODULE);
    folder.write("home/extensions/b/package.json", '{"pi":{"extensions":["./src/two.ts","./src/one.ts"]}}');
    folder.write("home/extensions/b/index.ts", MODULE);
    for (const name of ["one", "two"]) folder.write(`home/extensions/b/src/${name}.ts`, MODULE);
    folder.write("home/extensions/c/package.json", '{"pintle":{"extensions":["gone.ts"]},"pi":{"extensions":[]}}');
    folder.write("home/extensions/d/package.json", "{ not json");
    folder.write("home/extensions/d/index.js", MODULE);
    folder.write("home/extensions/z.js", MODULE);
    expect(discover(folder)).toEqual({
      sources: [
        "user home/extensions/a/index.ts",
        "user home/extensions/b/src/two.ts",
        "user home/extensions/b/src/one.ts",
        "user home/extensions/d/index.js",
        "user home/extensions/z.js",
      ],
      errors: ["home/extensions/c/gone.ts: No such file or directory"],
    });
  });

  test("a folder can be named itself, also one that contains packages", () => {
    using folder = moduleFolder();
    folder.write("project/pack/one/package.json", '{"pi":{"extensions":["main.ts"]}}');
    folder.write("project/pack/one/main.ts", MODULE);
    folder.write("project/pack/two.ts", MODULE);
    const expected = ["flag project/pack/one/main.ts", "flag project/pack/two.ts"];
    expect(discover(folder, { flagPaths: ["pack"] }).sources).toEqual(expected);
    expect(discover(folder, { flagPaths: ["pack/one"] }).sources).toEqual(["flag project/pack/one/main.ts"]);
    expect(discover(folder, { flagPaths: ["nowhere", "pack/one/package.json"] })).toEqual({
      sources: [],
      errors: [
        "project/nowhere: No such file or directory",
        "project/pack/one/package.json: Not a module: .json file extension",
      ],
    });
  });

  test("the first of two paths to the same file wins", () => {
    using folder = moduleFolder();
    const file = folder.write("home/extensions/a.ts", MODULE);
    symlinkSync(file, join(folder.path, "link.ts"));
    expect(discover(folder, { flagPaths: [join(folder.path, "link.ts")] }).sources).toEqual([
      "user home/extensions/a.ts",
    ]);
  });

  test("finds only flag sources when discovery is off, and skips disabled extensions", () => {
    using folder = moduleFolder();
    folder.write("home/extensions/a.ts", MODULE);
    folder.write("home/extensions/b/index.ts", MODULE);
    folder.write("project/.pintle/extensions/p.ts", MODULE);
    const file = folder.write("c.ts", MODULE);
    expect(
      discover(folder, { isDiscoveryOn: false, flagPaths: [file], settingsPaths: [{ path: file, baseDir: "/" }] }),
    ).toEqual({
      sources: ["flag c.ts"],
      errors: [],
    });
    const disabled = ["extension-module:a", "extension-module:b", "extension-module:p", "extension-module:c"];
    expect(discover(folder, { disabled, flagPaths: [file] })).toEqual({
      sources: ["flag c.ts"],
      errors: [],
    });
  });
});
