import { expect, test } from "bun:test";
import { chownSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findProjectRoot } from "../../../src/resources/places/project-root.ts";
import { projectFolder } from "../../support/trust/project-folder.ts";
import { where } from "../../support/where.ts";

test("a repository reaches up to its .git", () => {
  using folder = projectFolder({ ".git/HEAD": "", "a/b/x": "" });
  expect(findProjectRoot(folder.at("a/b"), "/home/me")).toEqual({
    cwd: folder.at("a/b"),
    above: [folder.at("a"), folder.cwd],
    isRepository: true,
    boundary: folder.cwd,
  });
});

test("without a repository, the directory is the project, with links resolved", () => {
  using folder = projectFolder();
  symlinkSync(folder.cwd, join(folder.root, "link"));
  const expected = { cwd: folder.cwd, above: [], isRepository: false, boundary: folder.cwd };
  expect(findProjectRoot(join(folder.root, "link"), "/home/me")).toEqual(expected);
});

test("a home directory in a repository does not belong to the projects in it", () => {
  using folder = projectFolder({ ".git/HEAD": "", "user/downloads/evil/x": "" });
  const evil = folder.at("user/downloads/evil");
  expect(findProjectRoot(evil, folder.at("user")).boundary).toBe(evil);
  expect(findProjectRoot(evil, folder.cwd).boundary).toBe(evil);
  expect(findProjectRoot(evil, "/home/me").boundary).toBe(folder.cwd);
});

test("a missing directory is used as named", () => {
  using folder = projectFolder();
  expect(findProjectRoot(folder.at("gone"), "/home/me")).toMatchObject({ cwd: folder.at("gone"), isRepository: false });
});

where(process.getuid?.() === 0, "needs root").test("a `.git` of another user in a parent directory is ignored", () => {
  using folder = projectFolder({ ".git/HEAD": "", "mine/x": "" });
  chownSync(folder.at(".git"), 12_345, 12_345);
  expect(findProjectRoot(folder.at("mine"), "/home/me")).toMatchObject({ isRepository: false, above: [] });
  chownSync(folder.at("mine"), 12_345, 12_345);
  expect(findProjectRoot(folder.at("mine"), "/home/me").isRepository).toBe(true);
});
