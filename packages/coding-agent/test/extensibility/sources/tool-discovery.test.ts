import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { discoverModules, type ModulePlaces } from "../../../src/extensibility/sources/discovery.ts";
import { type ModuleFolder, moduleFolder } from "../../support/extensibility/module-folder.ts";

function discover(folder: ModuleFolder, named: Partial<Pick<ModulePlaces, "settingsPaths" | "flagPaths">> = {}) {
  const { sources, errors } = discoverModules("tool", {
    cwd: join(folder.path, "project"),
    home: join(folder.path, "home"),
    isTrusted: false,
    settingsPaths: [],
    flagPaths: [],
    ...named,
  });
  const short = (path: string) => path.replace(`${folder.path}/`, "");
  return {
    sources: sources.map(({ path, realPath, scope }) => `${scope} ${short(path)} = ${short(realPath)}`),
    errors: errors.map(({ path, error }) => `${short(path)}: ${error}`),
  };
}

describe("discovery of custom tools", () => {
  test("finds the user's folder, settings and command line, in this order", () => {
    using folder = moduleFolder();
    folder.write("home/tools/z.ts", "");
    folder.write("home/tools/a/index.ts", "");
    folder.write("home/named/s.ts", "");
    folder.write("project/flag.js", "");
    folder.write("project/many/1.ts", "");
    const found = discover(folder, {
      settingsPaths: [{ path: "./named/s.ts", baseDir: join(folder.path, "home") }],
      flagPaths: ["many", "flag.js"],
    });
    expect(found).toEqual({
      sources: [
        "user home/tools/a/index.ts = home/tools/a/index.ts",
        "user home/tools/z.ts = home/tools/z.ts",
        "settings home/named/s.ts = home/named/s.ts",
        "flag project/many/1.ts = project/many/1.ts",
        "flag project/flag.js = project/flag.js",
      ],
      errors: [],
    });
  });

  test("finds nothing in the project's folder without consent, unless a file of it was named", () => {
    using folder = moduleFolder();
    folder.write("project/.pintle/tools/one.ts", "");
    folder.write("project/.pintle/tools/two/index.js", "");
    expect(discover(folder)).toEqual({
      sources: [],
      errors: [],
    });
    const named = discover(folder, { flagPaths: [".pintle/tools/one.ts"] });
    expect(named.sources).toEqual(["flag project/.pintle/tools/one.ts = project/.pintle/tools/one.ts"]);
  });

  test("loads a file once, from the first place that leads to it", () => {
    using folder = moduleFolder();
    folder.write("elsewhere/tool.ts", "");
    mkdirSync(join(folder.path, "home/tools"), { recursive: true });
    symlinkSync("../../elsewhere/tool.ts", join(folder.path, "home/tools/link.ts"));
    symlinkSync("../../elsewhere/tool.ts", join(folder.path, "home/tools/zlink.ts"));
    const found = discover(folder, { flagPaths: ["../elsewhere/tool.ts", "../elsewhere"] });
    expect(found.sources).toEqual(["user home/tools/link.ts = elsewhere/tool.ts"]);
  });

  test("reports a named path that is not a module as an error, and ignores such files in a folder", () => {
    using folder = moduleFolder();
    folder.write("home/tools/readme.md", "");
    folder.write("home/tools/meta.json", "");
    const found = discover(folder, {
      settingsPaths: [{ path: "tools/readme.md", baseDir: join(folder.path, "home") }],
      flagPaths: ["../home/tools/meta.json", "missing.ts"],
    });
    expect(found).toEqual({
      sources: [],
      errors: [
        "home/tools/readme.md: Not a module: .md file extension",
        "home/tools/meta.json: Not a module: .json file extension",
        "project/missing.ts: No such file or directory",
      ],
    });
  });

  test("expands ~ to the user's home", () => {
    using folder = moduleFolder();
    const found = discover(folder, { flagPaths: ["~/no-such-tool-of-this-test.ts"] });
    expect(found.errors).toEqual([`${join(homedir(), "no-such-tool-of-this-test.ts")}: No such file or directory`]);
  });
});
