import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { moduleFilesIn, namedModules } from "../../../src/extensibility/sources/module-files.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

function namesIn(folder: string): string[] {
  return moduleFilesIn(folder).files.map((file) => relative(folder, file));
}

describe("the modules in a folder", () => {
  test("are code files and folders with an index, one level deep, without hidden files and type declarations", () => {
    using folder = moduleFolder();
    for (const name of [
      "b.ts",
      "a.js",
      ".hidden.ts",
      "notes.md",
      "tool.json",
      "types.d.ts",
      "other.mjs",
      "pack/index.js",
      "pack/index.ts",
      "pack/helper.ts",
      "old/index.js",
      "deep/er/index.ts",
      ".git/index.ts",
      "lib/helper.ts",
    ]) {
      folder.write(name, "");
    }
    expect(namesIn(folder.path)).toEqual(["a.js", "b.ts", "old/index.js", "pack/index.ts"]);
  });

  test("links are treated like their targets; broken and circular ones are ignored", () => {
    using folder = moduleFolder();
    folder.write("elsewhere/real.ts", "");
    folder.write("elsewhere/pack/index.ts", "");
    const tools = join(folder.path, "tools");
    mkdirSync(tools);
    symlinkSync("../elsewhere/real.ts", join(tools, "link.ts"));
    symlinkSync("../elsewhere/pack", join(tools, "pack"));
    symlinkSync("../nowhere.ts", join(tools, "broken.ts"));
    symlinkSync("circle.ts", join(tools, "circle.ts"));
    mkdirSync(join(tools, "folder.ts"));
    expect(namesIn(tools)).toEqual(["link.ts", "pack/index.ts"]);
  });

  test("a missing folder is empty, and one that cannot be listed is a fault", () => {
    using folder = moduleFolder();
    expect(moduleFilesIn(join(folder.path, "missing"))).toEqual({ files: [], faults: [] });
    const file = folder.write("file", "");
    expect(moduleFilesIn(file)).toEqual({
      files: [],
      faults: [{ path: file, error: expect.stringContaining("ENOTDIR") }],
    });
  });

  test("rejects a name with control characters, and reports it in a printable form", () => {
    using folder = moduleFolder();
    folder.write("a\x1b[2Jb.ts", "");
    const path = JSON.stringify(join(folder.path, "a\x1b[2Jb.ts"));
    expect(moduleFilesIn(folder.path)).toEqual({
      files: [],
      faults: [{ path, error: "The name contains control characters" }],
    });
  });

  test("are always in the same order, however they were created", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_é-]{1,6}$/), {
      maxLength: 12,
      selector: (name) => name.toLowerCase(),
    });
    fc.assert(
      fc.property(
        names.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          using first = moduleFolder();
          using second = moduleFolder();
          for (const name of list) first.write(`${name}.ts`, "");
          for (const name of shuffled) second.write(`${name}.ts`, "");
          expect(namesIn(first.path)).toEqual(namesIn(second.path));
          expect(namesIn(first.path)).toEqual(list.map((name) => `${name}.ts`).sort());
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a named path", () => {
  test("may be a file, a folder that is a module, or a folder of modules", () => {
    using folder = moduleFolder();
    const file = folder.write("one.mjs", "");
    const index = folder.write("pack/index.ts", "");
    const inside = [folder.write("many/a.ts", ""), folder.write("many/b/index.js", "")];
    const named = (path: string) => namedModules(join(folder.path, path));
    expect(named("one.mjs")).toEqual({ files: [file], faults: [] });
    expect(named("pack")).toEqual({ files: [index], faults: [] });
    expect(named("many")).toEqual({ files: inside, faults: [] });
  });

  test("is reported with a reason if it is not code", () => {
    using folder = moduleFolder();
    folder.write("tool.md", "");
    folder.write("tool.json", "");
    folder.write("plain", "");
    mkdirSync(join(folder.path, "empty"));
    const faultOf = (path: string) => namedModules(join(folder.path, path)).faults.map(({ error }) => error);
    expect(["tool.md", "tool.json", "plain", "empty", "missing.ts"].map(faultOf)).toEqual([
      ["Not a module: .md file extension"],
      ["Not a module: .json file extension"],
      ["Not a module: no file extension"],
      ["No module in this folder"],
      ["No such file or directory"],
    ]);
  });
});
