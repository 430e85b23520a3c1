import { beforeAll, expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { canonicalPath } from "../../../foundation/src/files/canonical-path.ts";
import { containsKeys, pathProtection } from "../../src/permissions/protected-paths.ts";

let root: string;
let home: string;

beforeAll(() => {
  root = scratchPath();
  home = join(root, "home");
  mkdirSync(join(root, "data/me/dotfiles/ssh"), { recursive: true });
  symlinkSync("data/me", home);
  writeFileSync(join(home, "dotfiles/bashrc"), "");
  symlinkSync("dotfiles/bashrc", join(home, ".bashrc"));
  symlinkSync("dotfiles/missing", join(home, ".zshrc"));
  symlinkSync("dotfiles/ssh", join(home, ".ssh"));
});

const protection = (path: string, access: "read" | "write", variables = {}) =>
  pathProtection(canonicalPath(join(root, path)), access, { home, variables });

test("files that protected names lead to are protected, also if the home directory is a link", () => {
  const shell = "the shell runs its content";
  for (const path of ["home/.bashrc", "home/dotfiles/bashrc", "home/.zshrc", "home/.profile", "data/me/.config/fish/x"])
    expect([path, protection(path, "write")]).toEqual([path, shell]);
  expect(protection("home/.ssh/id_rsa", "read")).toBe("the user's keys are in ~/.ssh");
  expect(protection("data/me/dotfiles/ssh/id_rsa", "read")).toBe("the user's keys are in ~/.ssh");
  expect(protection("home/dotfiles/other", "write")).toBeUndefined();
});

test("a link that is replaced leads elsewhere from then on", () => {
  unlinkSync(join(home, ".bashrc"));
  symlinkSync("dotfiles/other", join(home, ".bashrc"));
  expect(protection("home/dotfiles/other", "write")).toBe("the shell runs its content");
  expect(protection("home/dotfiles/bashrc", "write")).toBeUndefined();
  renameSync(join(home, ".bashrc"), join(home, "kept"));
  expect(protection("home/dotfiles/other", "write")).toBeUndefined();
});

test("variables move start-up files, and the usual places stay protected", () => {
  const variables = { ZDOTDIR: join(root, "z"), XDG_CONFIG_HOME: join(root, "c"), XDG_DATA_HOME: join(root, "d") };
  for (const path of [
    "z/.zshenv",
    "c/git/config",
    "c/autostart/x",
    "d/systemd/user/x",
    "home/.zshenv",
    "home/.config/git/x",
  ]) {
    expect([path, protection(path, "write", variables)]).toEqual([path, "the shell runs its content"]);
  }
  expect(protection("z/.zshenv", "write")).toBeUndefined();
  expect(protection("c/other/x", "write", variables)).toBeUndefined();
  expect(protection("z/.zshenv", "write", { ZDOTDIR: "z" })).toBeUndefined();
});

test("directories above and below keys contain keys, by the places that links lead to as well", () => {
  const contains = (path: string) =>
    containsKeys(canonicalPath(join(root, path)), { home, ownDirectory: join(canonicalPath(home), "own") });
  for (const path of [".", "home", "data/me", "home/.ssh", "data/me/dotfiles", "home/dotfiles/ssh/x", "home/own"])
    expect([path, contains(path)]).toEqual([path, true]);
  for (const path of ["home/project", "data/you", "home/own/sessions"])
    expect([path, contains(path)]).toEqual([path, false]);
});

test("memory and variables of processes are protected, and what else is known of them is not", () => {
  const places = { home, variables: {} };
  for (const path of ["/proc/12/environ", "/proc/12/task/13/mem", "/proc/12/fd/3", "/proc/12/map_files/4-5"])
    expect([path, pathProtection(path, "read", places)]).toEqual([
      path,
      expect.stringContaining("environment of a process"),
    ]);
  for (const path of ["/proc/cpuinfo", "/proc/12/status", "/home/proc/12/environ"])
    expect([path, pathProtection(path, "read", places)]).toEqual([path, undefined]);
  for (const path of ["/", "/proc", "/proc/12"]) expect(containsKeys(path, { home })).toBe(true);
});
