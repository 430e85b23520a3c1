import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type CoverageLimits, CoveredFiles, digestOf, sha256 } from "../../src/trust/covered-files.ts";
import { type ProjectFolder, projectFolder } from "../support/trust/project-folder.ts";
import { where } from "../support/where.ts";

const isRoot = process.getuid?.() === 0;

function cover({ cwd }: ProjectFolder, limits?: CoverageLimits, path = "code") {
  const covered = new CoveredFiles(cwd, limits);
  covered.add(join(cwd, path));
  return covered;
}

const digest = (folder: ProjectFolder) => digestOf(cover(folder).files);

const name = fc.stringMatching(/^[a-c\n"\\é]{1,4}$/).filter((text) => text !== "." && text !== "..");
/** Paths with a prefix per level, so that none is a folder in one list and a file in the other. */
const path = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((names) => names.map((one, index) => (index < names.length - 1 ? `d${one}` : `f${one}`)).join("/"));
const tree = fc.dictionary(path, fc.uint8Array({ minLength: 1, maxLength: 40 }), { minKeys: 1, maxKeys: 6 });

function writeTree(files: readonly (readonly [string, Uint8Array])[]): ProjectFolder {
  const folder = projectFolder();
  for (const [name, content] of files) folder.write(`code/${name}`, content);
  return folder;
}

describe("the digest", () => {
  test("changes with any one byte of any file", () => {
    fc.assert(
      fc.property(tree, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (files, which, where, flip) => {
        const entries = Object.entries(files);
        using folder = writeTree(entries);
        const before = digest(folder);
        const [name, content] = entries[which % entries.length] as [string, Uint8Array];
        const changed = content.map((byte, index) => (index === where % content.length ? byte ^ flip : byte));
        folder.write(`code/${name}`, changed);
        expect(digest(folder)).not.toBe(before);
        folder.write(`code/${name}`, content);
        expect(digest(folder)).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  test("does not depend on the order in which files were made", () => {
    fc.assert(
      fc.property(tree, (files) => {
        const entries = Object.entries(files);
        using one = writeTree(entries);
        using other = writeTree(entries.toReversed());
        expect(digest(one)).toBe(digest(other));
        expect(digestOf(cover(one).files.toReversed())).toBe(digest(one));
      }),
      { numRuns: 30 },
    );
  });

  test("changes when a file is added, taken away or renamed", () => {
    using folder = projectFolder({ "code/a.ts": "1", "code/lib/b.ts": "2" });
    const seen = [digest(folder)];
    folder.write("code/lib/c.ts", "");
    seen.push(digest(folder));
    rmSync(folder.at("code/lib/c.ts"));
    expect(digest(folder)).toBe(seen[0] as string);
    rmSync(folder.at("code/lib/b.ts"));
    seen.push(digest(folder));
    folder.write("code/b.ts", "2");
    seen.push(digest(folder));
    expect(new Set(seen).size).toBe(4);
  });

  test("cannot be imitated by names that look like several rows", () => {
    const one = digestOf([{ path: 'a","x"]\n["b', sha256: "x" }]);
    const two = digestOf([
      { path: "a", sha256: "x" },
      { path: "b", sha256: "x" },
    ]);
    expect(one).not.toBe(two);
  });
});

test("packages in a folder count, hidden files too", () => {
  using folder = projectFolder({ "code/node_modules/x/index.js": "1", "code/.hidden": "2", "code/a.ts": "3" });
  expect(cover(folder).files).toEqual([
    { path: "code/.hidden", realPath: folder.at("code/.hidden"), sha256: sha256("2") },
    { path: "code/a.ts", realPath: folder.at("code/a.ts"), sha256: sha256("3") },
    { path: "code/node_modules/x/index.js", realPath: folder.at("code/node_modules/x/index.js"), sha256: sha256("1") },
  ]);
});

describe("links", () => {
  test("inside the project: the content they lead to counts", () => {
    using folder = projectFolder({ "lib/real.ts": "1" });
    folder.link("code/a.ts", "../lib/real.ts");
    folder.link("code/all", "../lib");
    const before = cover(folder);
    expect(before.files.map(({ path, realPath }) => [path, realPath])).toEqual([
      ["code/a.ts", folder.at("lib/real.ts")],
      ["code/all/real.ts", folder.at("lib/real.ts")],
    ]);
    folder.write("lib/real.ts", "2");
    expect([before.obstacle, digest(folder) === digestOf(before.files)]).toEqual([undefined, false]);
  });

  test.each([
    ["a file", "../../outside.ts"],
    ["a folder", "../../elsewhere"],
    ["a file by its absolute path", "ABSOLUTE"],
    ["a folder whose name begins like the project's", "../../project-evil"],
  ])("out of the project, to %s: no consent by content", (_what, target) => {
    using folder = projectFolder({ "code/z.ts": "" });
    folder.write("../outside.ts", "1");
    folder.write("../elsewhere/a.ts", "1");
    folder.write("../project-evil/a.ts", "1");
    folder.link("code/a", target === "ABSOLUTE" ? join(folder.root, "outside.ts") : target);
    const { obstacle, files } = cover(folder);
    expect(obstacle).toBe("code/a links outside the project");
    expect(files.map((file) => file.path)).toEqual(["code/z.ts"]);
  });

  test("through a link that is inside and leads to one that leaves", () => {
    using folder = projectFolder();
    folder.write("../outside.ts", "1");
    folder.link("lib/b.ts", "../../outside.ts");
    folder.link("code/a.ts", "../lib/b.ts");
    expect(cover(folder).obstacle).toBe("code/a.ts links outside the project");
  });

  test("in circles, and many to one place, end", () => {
    using folder = projectFolder({ "lib/x.ts": "1" });
    folder.link("code/self", ".");
    folder.link("lib/up", "../code");
    for (let index = 0; index < 30; index += 1) folder.link(`code/l${index}`, "../lib");
    const { files, obstacle, isCut } = cover(folder);
    expect(files.filter(({ realPath }) => realPath !== undefined)).toHaveLength(1);
    expect([obstacle, isCut]).toEqual([undefined, false]);
    const before = digestOf(files);
    rmSync(folder.at("code/l7"));
    folder.link("code/l7", "..");
    expect(digest(folder)).not.toBe(before);
  });

  test("to nowhere: known as such until there is something", () => {
    using folder = projectFolder();
    folder.link("code/a.ts", "../later.ts");
    const before = cover(folder);
    folder.write("later.ts", "1");
    expect(before.obstacle).toBeUndefined();
    expect(digest(folder)).not.toBe(digestOf(before.files));
  });
});

describe("what its content cannot identify", () => {
  test("a pipe is not waited for", () => {
    using folder = projectFolder({ "code/z.ts": "" });
    Bun.spawnSync(["mkfifo", folder.at("code/pipe")]);
    expect(cover(folder).obstacle).toBe("code/pipe is not a regular file");
  });

  where(!isRoot, "not as root").test("a file that cannot be read", () => {
    using folder = projectFolder({ "code/a.ts": "1" });
    chmodSync(folder.at("code/a.ts"), 0);
    expect(cover(folder).obstacle).toBe("code/a.ts cannot be read (EACCES)");
  });

  test("a name that is no text", () => {
    using folder = projectFolder({ "code/z.ts": "" });
    execFileSync("sh", ["-c", `printf 1 > "$(printf 'code/\\377.ts')"`], { cwd: folder.cwd });
    expect(cover(folder).obstacle).toContain("cannot be read");
  });
});

describe("limits", () => {
  const LIMITS = { maxEntries: 5, maxBytes: 100 };

  test("few enough", () => {
    using folder = projectFolder({ "code/a": "x".repeat(60), "code/b": "x".repeat(40), "code/c": "", "code/d": "" });
    expect(cover(folder, LIMITS)).toMatchObject({ isCut: false });
    expect(cover(folder, LIMITS).files).toHaveLength(4);
  });

  test("too many bytes", () => {
    using folder = projectFolder({ "code/a": "x".repeat(60), "code/b": "x".repeat(41) });
    expect(cover(folder, LIMITS)).toMatchObject({ isCut: true, files: [{ path: "code/a" }] });
  });

  test("too many files, or folders without any", () => {
    using files = projectFolder({ "code/a": "", "code/b": "", "code/c": "", "code/d": "", "code/e": "" });
    expect(cover(files, LIMITS).isCut).toBe(true);
    using folders = projectFolder();
    for (const name of ["a/b/c", "a/d", "e"]) mkdirSync(folders.at(`code/${name}`), { recursive: true });
    expect(cover(folders, LIMITS).isCut).toBe(true);
  });
});

describe("what settings name", () => {
  test("a file elsewhere counts by its content, a folder elsewhere is not walked", () => {
    using folder = projectFolder();
    const file = folder.write("../shared/tool.ts", "1");
    const covered = new CoveredFiles(folder.cwd);
    covered.addNamed(file);
    expect([covered.files, covered.obstacle]).toEqual([
      [{ path: "../shared/tool.ts", realPath: file, sha256: sha256("1") }],
      undefined,
    ]);
    covered.addNamed(join(folder.root, "shared"));
    expect([covered.files.length, covered.obstacle]).toEqual([1, "../shared is a folder outside the project"]);
  });

  test("what is missing is a fact too", () => {
    using folder = projectFolder();
    const covered = new CoveredFiles(folder.cwd);
    covered.addNamed(folder.at("later.ts"));
    expect([covered.files, covered.obstacle]).toEqual([[{ path: "later.ts", sha256: sha256("missing") }], undefined]);
  });
});
