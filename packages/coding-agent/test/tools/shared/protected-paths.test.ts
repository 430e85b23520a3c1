import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { writableTarget } from "../../../src/tools/shared/protected-paths.ts";

let scratch: ReturnType<typeof scratchDirectory>;
let root: string;
let home: string;

beforeEach(() => {
  scratch = scratchDirectory();
  root = realpathSync(scratch.path);
  home = join(root, ".pintle");
});

afterEach(() => scratch[Symbol.dispose]());

function isProtected(path: string, directory = home): boolean {
  try {
    writableTarget(path, directory, path);
    return false;
  } catch (error) {
    if (!(error as Error).message.includes("belongs to pintle itself")) throw error;
    return true;
  }
}

/** Relative to pintle's directory. */
const OWN = [
  ".",
  "auth.json",
  "trust.json",
  "settings.json",
  "settings.yml",
  "settings.json.lock",
  "models.json",
  "mcp.json",
  "extensions",
  "extensions/deep/index.ts",
  "tools/x.ts",
  "hooks/x.ts",
  "node_modules/@ai-sdk/openai/index.js",
  "package.json",
  "bunfig.toml",
  "SYSTEM.md",
  "APPEND_SYSTEM.md",
  "AGENTS.md",
  "CLAUDE.md",
  "skills/x/SKILL.md",
  "prompts/x.md",
  "commands/x.md",
  "rules/x.md",
  "sessions/x/y.jsonl",
  "blobs/x",
  "logs/x",
  "something-of-a-later-version/x",
  "AUTH.json",
  "Extensions/x.ts",
  "notes/../auth.json",
  "notesx/y",
  "sub/notes/x",
];
const WRITABLE = ["notes", "notes/x", "projects/a/b.ts", "tmp/x", "workspace/x", "worktrees/x/auth.json", "Notes/x"];
/** Next to pintle's directory. */
const ELSEWHERE = ["auth.json", ".pintle2/auth.json", ".pintl", ".pintle/../SYSTEM.md", "project/.pintle/skills/x.md"];

describe.each([true, false])("with a directory that exists: %p", (exists) => {
  beforeEach(() => {
    if (exists) mkdirSync(home);
  });

  test.each(OWN)("%s in it is protected", (name) => {
    expect(isProtected(join(home, name))).toBe(true);
  });

  test.each(WRITABLE)("%s in it is not", (name) => {
    expect(isProtected(join(home, name))).toBe(false);
  });

  test.each(ELSEWHERE)("neither is %s next to it", (name) => {
    expect(isProtected(join(root, name))).toBe(false);
  });
});

describe("links", () => {
  const at = (path: string) => join(root, path);

  beforeEach(() => {
    for (const folder of [".pintle/skills", ".pintle/notes", "dotfiles/ext", "work"]) {
      mkdirSync(at(folder), { recursive: true });
    }
    writeFileSync(at("dotfiles/pintle.json"), "{}");
    for (const [path, target] of [
      ["home", ".pintle"],
      ["skills", ".pintle/skills"],
      ["innocent", ".pintle/auth.json"],
      [".pintle/settings.json", "../dotfiles/pintle.json"],
      [".pintle/extensions", "../dotfiles/ext"],
      [".pintle/models.json", "../dotfiles/not-yet.json"],
      [".pintle/auth.json", "auth.json"],
      [".pintle/notes/out", "../../work"],
      [".pintle/notes/in", "../skills"],
      [".pintle/skills/dev", "../../work"],
    ] as const) {
      symlinkSync(target, at(path));
    }
  });

  test.each([
    ["home/SYSTEM.md", "to the directory"],
    ["skills/new.md", "into it"],
    ["home/skills/dev/SKILL.md", "through it to a place outside"],
    ["skills/dev/SKILL.md", "through a part of it to a place outside"],
    ["dotfiles/pintle.json", "where a link in it leads"],
    ["dotfiles/ext/x.ts", "below a folder to which a link in it leads"],
    ["dotfiles/not-yet.json", "where such a link leads to nothing yet"],
    [".pintle/notes/in/x.md", "from a writable name back into the rest"],
  ])("%s is protected: %s", (path) => {
    expect(isProtected(at(path))).toBe(true);
  });

  test.each(["innocent", ".pintle/auth.json"])("%s: a circular link cannot be written", (path) => {
    expect(() => writableTarget(at(path), home, path)).toThrow();
  });

  test.each([
    ["dotfiles/other.json", "dotfiles/other.json"],
    ["work/x.ts", "work/x.ts"],
    [".pintle/notes/out/x.ts", "work/x.ts"],
    ["home/notes/x", ".pintle/notes/x"],
  ])("%s is not", (path, target) => {
    expect(writableTarget(at(path), home, path)).toBe(at(target));
  });

  test("the directory may be named by a link itself", () => {
    expect(isProtected(at(".pintle/SYSTEM.md"), at("home"))).toBe(true);
    expect(isProtected(at("home/SYSTEM.md"), at("home"))).toBe(true);
  });
});
