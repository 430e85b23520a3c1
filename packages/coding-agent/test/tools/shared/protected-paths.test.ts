import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProtectedPath } from "../../../src/tools/shared/protected-paths.ts";
import { scratchDirectory } from "../../support/program.ts";

let scratch: ReturnType<typeof scratchDirectory>;
let root: string;
let home: string;

beforeEach(() => {
  scratch = scratchDirectory();
  root = realpathSync(scratch.path);
  home = join(root, ".pintle");
});

afterEach(() => scratch[Symbol.dispose]());

const OWN = [
  "auth.json",
  "trust.json",
  "settings.json",
  "settings.yml",
  "settings.json.lock",
  "models.json",
  "models.yml",
  "mcp.json",
  "extensions",
  "extensions/deep/index.ts",
  "tools/x.ts",
  "AUTH.json",
  "Extensions/x.ts",
];
const OTHERS = [
  "sessions/x.jsonl",
  "AGENTS.md",
  "auth.json.d/x",
  "settings",
  "my-settings.json",
  "sub/auth.json",
  "toolsmith/x",
];

describe.each([true, false])("with a home that exists: %p", (exists) => {
  beforeEach(() => {
    if (exists) mkdirSync(home);
  });

  test.each(OWN)("%s is protected", (name) => {
    expect(isProtectedPath(join(home, name), home)).toBe(true);
  });

  test.each(OTHERS)("%s is not", (name) => {
    expect(isProtectedPath(join(home, name), home)).toBe(false);
  });

  test("neither is the same name elsewhere", () => {
    expect(isProtectedPath(join(root, "auth.json"), home)).toBe(false);
    expect(isProtectedPath(join(root, ".pintle2/auth.json"), home)).toBe(false);
  });
});

test("links to the home, into it, and to a file in it that does not exist", () => {
  mkdirSync(join(home, "extensions"), { recursive: true });
  symlinkSync(home, join(root, "home"));
  symlinkSync(join(home, "extensions"), join(root, "ext"));
  symlinkSync(".pintle/auth.json", join(root, "innocent"));
  expect(isProtectedPath(join(root, "home/auth.json"), home)).toBe(true);
  expect(isProtectedPath(join(root, "ext/new.ts"), home)).toBe(true);
  expect(isProtectedPath(join(root, "innocent"), home)).toBe(true);
  expect(isProtectedPath(join(home, "auth.json"), join(root, "home"))).toBe(true);
});

test("where the user's own links in the home lead", () => {
  mkdirSync(home);
  mkdirSync(join(root, "dotfiles/ext"), { recursive: true });
  writeFileSync(join(root, "dotfiles/pintle.json"), "{}");
  symlinkSync("../dotfiles/pintle.json", join(home, "settings.json"));
  symlinkSync("../dotfiles/ext", join(home, "extensions"));
  symlinkSync("../dotfiles/not-yet.json", join(home, "models.json"));
  symlinkSync("auth.json", join(home, "auth.json")); // a circle disturbs nobody
  expect(isProtectedPath(join(root, "dotfiles/pintle.json"), home)).toBe(true);
  expect(isProtectedPath(join(root, "dotfiles/ext/x.ts"), home)).toBe(true);
  expect(isProtectedPath(join(root, "dotfiles/not-yet.json"), home)).toBe(true);
  expect(isProtectedPath(join(root, "dotfiles/other.json"), home)).toBe(false);
});
