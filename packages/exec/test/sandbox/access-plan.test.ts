import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { planAccess } from "../../src/sandbox/access-plan.ts";
import type { SandboxPolicy } from "../../src/sandbox/policy.ts";

let root: string;

beforeEach(() => {
  root = scratchPath();
});

function make(...paths: string[]): void {
  for (const path of paths) {
    const full = join(root, path);
    mkdirSync(path.endsWith("/") ? full : dirname(full), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(full, "");
  }
}

function plan(policy: Partial<SandboxPolicy>, canProtect = true): string[] {
  const all: SandboxPolicy = {
    mode: "workspace-write",
    network: "off",
    workspaces: [],
    temp: [],
    write: [],
    hide: [],
    home: join(root, "home"),
    ...policy,
  };
  return planAccess(all, { canProtect }).map(
    ({ path, access, missing }) => `${missing ? "missing " : ""}${access} ${path.replace(`${root}/`, "")}`,
  );
}

describe("where the file system differs from read-only", () => {
  test("the parts of a workspace that programs outside act on stay as they are", () => {
    make("w/.git/HEAD", "w/.git/config", "w/.git/hooks/", "w/.pintle/");
    expect(plan({ workspaces: [join(root, "w")] })).toEqual([
      "write w",
      "write w/.git",
      "read w/.pintle",
      "read w/.git/config",
      "read w/.git/hooks",
    ]);
  });

  test("parts that are missing are protected as well, and planning makes nothing", () => {
    make("w/.git/HEAD");
    for (const round of [1, 2]) {
      expect(plan({ workspaces: [join(root, "w")] }), `${round}`).toEqual([
        "write w",
        "write w/.git",
        "missing read w/.pintle",
        "missing read w/.git/config",
        "missing read w/.git/hooks",
      ]);
    }
  });

  test("a file in the place of .git cannot be replaced", () => {
    make("w/.git", "w/.pintle/");
    expect(plan({ workspaces: [join(root, "w")] })).toEqual(["write w", "read w/.git", "read w/.pintle"]);
  });

  test("hooks that are a link make the whole repository read-only, because a link can be replaced", () => {
    make("w/.git/config", "hooks/", "w/.pintle/");
    symlinkSync(join(root, "hooks"), join(root, "w/.git/hooks"));
    expect(plan({ workspaces: [join(root, "w")] })).toEqual(["write w", "read w/.git", "read w/.pintle"]);
  });

  test("repositories of modules count like the one they belong to", () => {
    make("w/.git/config", "w/.git/hooks/", "w/.pintle/", "w/.git/modules/a/b/HEAD", "w/.git/modules/a/b/config");
    const places = plan({ workspaces: [join(root, "w")] });
    expect(places).toContain("missing read w/.git/modules/a/b/hooks");
    expect(places).toContain("read w/.git/modules/a/b/config");
    // and no directory above can be renamed
    for (const above of ["w/.git/modules", "w/.git/modules/a", "w/.git/modules/a/b"])
      expect(places).toContain(`write ${above}`);
  });

  test("a repository among the further places has its parts protected", () => {
    make("main/.git/HEAD", "main/.git/objects/", "main/.git/refs/", "main/.git/config", "main/.git/hooks/");
    const expected = ["write main/.git", "read main/.git/config", "read main/.git/hooks"];
    expect(plan({ write: [join(root, "main/.git")] })).toEqual(expected);
    expect(plan({ write: [join(root, "main")] })).toEqual(["write main", ...expected]);
  });

  test("what lies deeper decides for itself, and comes later", () => {
    make("home/.ssh/", "home/.ssh/known/", "home/project/.pintle/");
    expect(
      plan({
        workspaces: [join(root, "home/project")],
        hide: [join(root, "home")],
        write: [join(root, "home/.ssh/known")],
      }),
    ).toEqual(["hidden home", "write home/project", "write home/.ssh/known", "read home/project/.pintle"]);
  });

  test("the stricter word counts for one path", () => {
    make("cache/");
    expect(plan({ write: [join(root, "cache")], hide: [join(root, "cache")] })).toEqual(["hidden cache"]);
  });

  test("a link stands for what it leads to", () => {
    make("secrets/key");
    symlinkSync(join(root, "secrets"), join(root, "link"));
    expect(plan({ hide: [join(root, "link")] })).toEqual(["hidden secrets"]);
  });

  test("places that do not exist are left out", () => {
    expect(plan({ write: [join(root, "no")], hide: [join(root, "nothing")] })).toEqual([]);
  });

  test("start-up files count when the home directory can be written to", () => {
    make("home/.bashrc", "home/.config/fish/config.fish", "home/.pintle/");
    const places = plan({ workspaces: [join(root, "home")] });
    expect(places.filter((place) => !place.startsWith("missing"))).toEqual([
      "write home",
      "read home/.bashrc",
      "write home/.config",
      "read home/.pintle",
      "read home/.config/fish",
    ]);
    for (const name of [".bash_profile", ".zshenv", ".ssh", ".config/autostart"])
      expect(places).toContain(`missing read home/${name}`);
    expect(places).toContain("missing write home/.local"); // above a name that is protected
    expect(plan({ workspaces: [] })).toEqual([]);
  });

  test("read-only opens nothing, and makes nothing", () => {
    make("w/.git/", "t/");
    expect(plan({ mode: "read-only", workspaces: [join(root, "w")], temp: [join(root, "t")] })).toEqual([]);
  });

  test("without the means to protect a part, none is made", () => {
    make("w/.git/");
    expect(plan({ workspaces: [join(root, "w")] }, false)).toEqual(["write w"]);
  });
});
