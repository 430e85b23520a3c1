import { expect, test } from "bun:test";
import { kindOf, walkFolders } from "../../../src/resources/places/walk-folders.ts";
import { type ProjectFolder, projectFolder } from "../../support/trust/project-folder.ts";

function walk({ cwd }: ProjectFolder, more = {}) {
  const leaving: string[] = [];
  const options = { within: cwd, maxFolders: 100, maxDepth: 10, enter: () => true, ...more };
  const folders = [...walkFolders(cwd, { ...options, onLeaving: (path) => void leaving.push(path.slice(cwd.length)) })];
  return { paths: folders.map(({ path }) => path.slice(cwd.length)), leaving };
}

test("visits each folder once, depth first and sorted by name, except hidden ones and packages", () => {
  using folder = projectFolder({ "b/x": "", "a/c/x": "", "a/b/x": "", ".git/x": "", "node_modules/x/y": "" });
  folder.link("a/again", "../b");
  folder.link("a/up", "..");
  folder.link("z", "nowhere");
  expect(walk(folder)).toEqual({ paths: ["", "/a", "/a/again", "/a/b", "/a/c"], leaving: [] });
});

test("limits", () => {
  using folder = projectFolder({ "a/b/c/d": "", "e/f": "" });
  expect(walk(folder, { maxFolders: 2 }).paths).toEqual(["", "/a"]);
  expect(walk(folder, { maxDepth: 1 }).paths).toEqual(["", "/a", "/e"]);
  expect(walk(folder, { enter: ({ names }: { names: string[] }) => !names.includes("b") }).paths).toEqual([
    "",
    "/a",
    "/e",
  ]);
});

test("links that lead out are reported and not followed", () => {
  using folder = projectFolder({ "a/x": "" });
  folder.write("../outside/x", "");
  folder.link("b", "../outside");
  expect(walk(folder)).toEqual({ paths: ["", "/a"], leaving: ["/b"] });
  expect(walk(folder, { within: undefined }).paths).toEqual(["", "/a", "/b"]);
});

test("kindOf follows links", () => {
  using folder = projectFolder({ "a/x": "" });
  folder.link("folder", "a");
  folder.link("file", "a/x");
  folder.link("circle", "circle");
  expect(["folder", "file", "circle", "gone"].map((name) => kindOf(folder.at(name)))).toEqual([
    "folder",
    "file",
    undefined,
    undefined,
  ]);
});
