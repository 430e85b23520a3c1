import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { GitError } from "../../src/worktrees/git.ts";
import { git } from "../support/examples/git.ts";
import { createWorktree, filesIn, newCheckout, patchOf } from "../support/worktrees/checkout.ts";

/** A checkout with every kind of change. */
async function dirtyCheckout() {
  const checkout = await newCheckout();
  const { root } = checkout;
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  mkdirSync(join(root, "src"));
  for (const name of ["same", "changed", "staged", "deleted", "old-name"]) write(`src/${name}.ts`, `${name}\n`);
  write(".gitignore", "ignored\n*.log\n");
  write("kept.log", "tracked although ignored\n");
  await git(root, "add", "--force", ".");
  await git(root, "commit", "--quiet", "-m", "files");
  write("src/changed.ts", "changed here\n");
  write("src/staged.ts", "staged\n");
  await git(root, "add", "src/staged.ts");
  write("src/staged.ts", "staged, and changed again\n");
  rmSync(join(root, "src/deleted.ts"));
  await git(root, "mv", "src/old-name.ts", "src/new-name.ts");
  write("untracked.ts", "untracked\n");
  write("binary", "\0\u0001\xff");
  write("ignored", "a secret\n");
  write("run.sh", "#!/bin/sh\n");
  chmodSync(join(root, "run.sh"), 0o755);
  symlinkSync("src/same.ts", join(root, "link"));
  symlinkSync("nowhere", join(root, "dangling"));
  return checkout;
}

test("a worktree has the files of the checkout as they are, except ignored ones, and the same status", async () => {
  const checkout = await dirtyCheckout();
  const before = filesIn(checkout.root, "", { withGit: true });
  const worktree = await createWorktree(checkout);
  const { ignored, ...expected } = filesIn(checkout.root);
  expect(ignored).toBeDefined();
  expect(filesIn(worktree.folder)).toEqual(expected);
  const status = ["status", "--porcelain=v2", "--branch", "--untracked-files=all"];
  const [own, parent] = [
    await git(worktree.folder, ...status),
    await git(checkout.root, "--no-optional-locks", ...status),
  ];
  expect(own).toBe(parent);
  expect(await git(worktree.folder, "log", "--format=%s")).toBe("files\nfirst\n");
  expect(filesIn(checkout.root, "", { withGit: true })).toEqual(before);
});

test("without a change, nothing is stored, and the user's repository is as it was", async () => {
  const checkout = await dirtyCheckout();
  const before = filesIn(checkout.root, "", { withGit: true });
  const worktree = await createWorktree(checkout);
  expect(await worktree.finish(patchOf(checkout))).toBeUndefined();
  await worktree.remove();
  expect(existsSync(worktree.folder)).toBe(false);
  expect(filesIn(checkout.home)).toEqual({});
  expect(filesIn(checkout.root, "", { withGit: true })).toEqual(before);
});

test("the patch has edits, additions, deletions and commits of the child, and applies with git", async () => {
  const checkout = await dirtyCheckout();
  const before = filesIn(checkout.root, "", { withGit: true });
  const worktree = await createWorktree(checkout);
  const write = (path: string, text: string) => writeFileSync(join(worktree.folder, path), text);
  write("src/changed.ts", "changed here\nand by the child\n");
  await git(worktree.folder, "add", ".");
  await git(worktree.folder, "commit", "--quiet", "-m", "by the child");
  write("src/created.ts", "created\n");
  write("binary", "\0other\xfe");
  rmSync(join(worktree.folder, "link"));
  symlinkSync("src", join(worktree.folder, "link"));
  rmSync(join(worktree.folder, "src/same.ts"));
  chmodSync(join(worktree.folder, "run.sh"), 0o644);
  write("debug.log", "ignored\n");

  const change = await worktree.finish(patchOf(checkout));
  expect(change?.entries.map(({ path }) => path)).toEqual([
    "binary",
    "link",
    "run.sh",
    "src/changed.ts",
    "src/created.ts",
    "src/same.ts",
  ]);
  expect(change?.missing).toEqual([]);
  expect(change?.diff).toContain("+and by the child");
  expect(filesIn(checkout.root, "", { withGit: true })).toEqual(before);

  const { "debug.log": _, ...expected } = filesIn(worktree.folder);
  await git(checkout.root, "apply", "--binary", patchOf(checkout));
  expect(filesIn(checkout.root)).toEqual({ ...expected, ignored: "file a secret\n" });
});

test("a file that the child adds by force belongs to the patch although it is ignored", async () => {
  const checkout = await dirtyCheckout();
  const worktree = await createWorktree(checkout);
  writeFileSync(join(worktree.folder, "forced.log"), "wanted\n");
  await git(worktree.folder, "add", "--force", "forced.log");
  const change = await worktree.finish(patchOf(checkout));
  expect(change?.entries.map(({ path }) => path)).toEqual(["forced.log"]);
});

test("git in a worktree cannot reach the user's branches, stash, configuration and hooks", async () => {
  const checkout = await dirtyCheckout();
  const before = filesIn(checkout.root, "", { withGit: true });
  const worktree = await createWorktree(checkout);
  const inside = (...words: string[]) => git(worktree.folder, ...words);
  await inside("stash", "--include-untracked");
  await inside("branch", "own");
  await inside("config", "core.editor", "vi");
  await inside("commit", "--quiet", "--allow-empty", "-m", "empty");
  await inside("tag", "own-tag");
  await inside("gc", "--quiet");
  expect(filesIn(checkout.root, "", { withGit: true })).toEqual(before);
});

describe("a worktree whose files do not show all work", () => {
  test("names commits that are not in HEAD", async () => {
    const checkout = await newCheckout();
    const worktree = await createWorktree(checkout);
    await git(worktree.folder, "checkout", "--quiet", "-b", "side");
    writeFileSync(join(worktree.folder, "a"), "a");
    await git(worktree.folder, "add", "a");
    await git(worktree.folder, "commit", "--quiet", "-m", "on the side");
    await git(worktree.folder, "checkout", "--quiet", "trunk");
    expect(await worktree.finish(patchOf(checkout))).toEqual({
      patchPath: undefined,
      entries: [],
      diff: "",
      missing: ["commits outside of HEAD: 1"],
    });
  });

  test("names a stash", async () => {
    const checkout = await dirtyCheckout();
    const worktree = await createWorktree(checkout);
    writeFileSync(join(worktree.folder, "src/same.ts"), "stashed\n");
    await git(worktree.folder, "stash", "push", "--quiet", "src/same.ts");
    expect((await worktree.finish(patchOf(checkout)))?.missing).toEqual(["commits outside of HEAD: 2"]);
  });

  test("names a repository that the child has cloned into it", async () => {
    const checkout = await newCheckout();
    const worktree = await createWorktree(checkout);
    await git(worktree.folder, "init", "--quiet", "vendor/lib");
    writeFileSync(join(worktree.folder, "vendor/lib/a"), "a");
    expect((await worktree.finish(patchOf(checkout)))?.missing).toEqual(["vendor/lib is a repository of its own"]);
  });

  test("proves nothing if git fails", async () => {
    const checkout = await newCheckout();
    const worktree = await createWorktree(checkout);
    writeFileSync(join(worktree.folder, ".git/index"), "not an index");
    expect(await rejection(worktree.finish(patchOf(checkout)))).toBeInstanceOf(GitError);
    rmSync(join(worktree.folder, ".git"), { recursive: true });
    expect((await worktree.finish(patchOf(checkout)))?.missing).toEqual([expect.stringContaining("cannot be read")]);
  });
});

describe("no code of a repository runs", () => {
  test("neither hooks, filters, the file system monitor nor commands for a diff", async () => {
    const checkout = await dirtyCheckout();
    const { root, base } = checkout;
    const canary = join(base, "canary");
    const program = join(root, "evil.sh");
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${canary}'\ncat\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(root, ".gitattributes"), "* filter=evil diff=evil merge=evil\n");
    for (const name of [
      "post-index-change",
      "post-checkout",
      "fsmonitor-watchman",
      "pre-commit",
      "reference-transaction",
    ]) {
      writeFileSync(join(root, ".git/hooks", name), readFileSync(program));
      chmodSync(join(root, ".git/hooks", name), 0o755);
    }
    const options = [
      ["core.fsmonitor", program],
      ["filter.evil.clean", program],
      ["filter.evil.smudge", program],
      ["diff.evil.command", program],
      ["diff.evil.textconv", program],
      ["diff.external", program],
      ["core.pager", program],
      ["core.sshCommand", program],
      ["core.askPass", program],
      ["core.alternateRefsCommand", program],
      ["uploadpack.packObjectsHook", program],
      ["alias.ls-files", `!${program}`],
    ];
    const lines = options.map(([key = "", value]) => {
      const at = key.lastIndexOf(".");
      const [section = "", sub] = key.slice(0, at).split(".");
      return `[${section}${sub === undefined ? "" : ` "${sub}"`}]\n\t${key.slice(at + 1)} = ${JSON.stringify(value)}\n`;
    });
    writeFileSync(join(root, ".git/config"), readFileSync(join(root, ".git/config"), "utf8") + lines.join(""));
    await git(root, "add", "src/changed.ts");
    expect(existsSync(canary)).toBe(true); // what follows would run it as well
    rmSync(canary);
    const worktree = await createWorktree(checkout);
    writeFileSync(join(worktree.folder, "src/same.ts"), "by the child\n");
    // A child that writes configuration of its own gets no further.
    writeFileSync(join(worktree.folder, ".git/config"), lines.join(""));
    const change = await worktree.finish(patchOf(checkout));
    expect(change?.entries.map(({ path }) => path)).toEqual(["src/same.ts"]);
    expect(existsSync(canary) && readFileSync(canary, "utf8")).toBe(false);
  });

  test("a configuration that names another folder as the checkout is refused", async () => {
    const checkout = await newCheckout();
    await git(checkout.root, "config", "core.worktree", checkout.base);
    const error = await rejection(createWorktree(checkout));
    expect(error).toBeInstanceOf(GitError);
    expect(filesIn(checkout.home)).toEqual({});
  });
});

test("without a repository there is no worktree", async () => {
  const checkout = await newCheckout();
  rmSync(join(checkout.root, ".git"), { recursive: true });
  expect(String(await rejection(createWorktree(checkout)))).toContain("is not in a git repository");
});

test("variables do not redirect git", async () => {
  const [checkout, other] = [await newCheckout(), await newCheckout()];
  writeFileSync(join(checkout.root, "a"), "a");
  process.env.GIT_DIR = join(other.root, ".git");
  try {
    const worktree = await createWorktree(checkout);
    expect(filesIn(worktree.folder)).toEqual({ a: "file a" });
  } finally {
    delete process.env.GIT_DIR;
  }
});

describe("kinds of repositories", () => {
  test("one without a commit", async () => {
    const checkout = await newCheckout({ isCommitted: false });
    writeFileSync(join(checkout.root, "a"), "a\n");
    const worktree = await createWorktree(checkout);
    writeFileSync(join(worktree.folder, "a"), "b\n");
    expect((await worktree.finish(patchOf(checkout)))?.diff).toContain("-a\n+b\n");
  });

  test("one with other hashes", async () => {
    const checkout = await newCheckout({ options: ["--object-format=sha256"] });
    writeFileSync(join(checkout.root, "a"), "a\n");
    await git(checkout.root, "add", "a");
    const worktree = await createWorktree(checkout);
    expect(await git(worktree.folder, "status", "--porcelain")).toBe("A  a\n");
    expect(await worktree.finish(patchOf(checkout))).toBeUndefined();
  });

  test("a linked worktree, with a detached HEAD", async () => {
    const checkout = await dirtyCheckout();
    const linked = join(checkout.base, "linked");
    await git(checkout.root, "worktree", "add", "--quiet", "--detach", linked);
    writeFileSync(join(linked, "own"), "own\n");
    const before = filesIn(checkout.root, "", { withGit: true });
    const worktree = await createWorktree(checkout, { cwd: linked });
    expect(await git(worktree.folder, "status", "--porcelain")).toBe("?? own\n");
    expect(await worktree.finish(patchOf(checkout))).toBeUndefined();
    expect(filesIn(checkout.root, "", { withGit: true })).toEqual(before);
  });

  test("one with a split index and a sparse checkout", async () => {
    const checkout = await dirtyCheckout();
    mkdirSync(join(checkout.root, "other"));
    writeFileSync(join(checkout.root, "other/a"), "a\n");
    await git(checkout.root, "add", "other");
    await git(checkout.root, "commit", "--quiet", "-m", "other");
    await git(checkout.root, "stash", "--quiet", "--include-untracked");
    await git(checkout.root, "sparse-checkout", "set", "src");
    await git(checkout.root, "update-index", "--split-index");
    writeFileSync(join(checkout.root, "src/changed.ts"), "sparse\n");
    await git(checkout.root, "add", "src/changed.ts");
    const worktree = await createWorktree(checkout);
    const { ignored, ...expected } = filesIn(checkout.root);
    expect(filesIn(worktree.folder)).toEqual(expected);
    expect(await git(worktree.folder, "status", "--porcelain")).toBe("M  src/changed.ts\n");
    expect(await worktree.finish(patchOf(checkout))).toBeUndefined();
  });

  test("one with submodules and repositories in it, which are left out", async () => {
    const [checkout, other] = [await dirtyCheckout(), await dirtyCheckout()];
    const { root } = checkout;
    await git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.root, "module");
    await git(root, "init", "--quiet", "nested");
    writeFileSync(join(root, "nested/a"), "a");
    const worktree = await createWorktree(checkout);
    expect(readdirSync(join(worktree.folder, "module"))).toEqual([]);
    expect(await git(worktree.folder, "status", "--porcelain", "module")).toBe("A  module\n");
    expect(existsSync(join(worktree.folder, "nested"))).toBe(false);
    expect(await worktree.finish(patchOf(checkout))).toBeUndefined();
  });

  test("one whose line endings git converts", async () => {
    const checkout = await newCheckout();
    await git(checkout.root, "config", "core.autocrlf", "true");
    writeFileSync(join(checkout.root, ".gitattributes"), "*.txt text eol=crlf\n*.id ident\n");
    writeFileSync(join(checkout.root, "a.txt"), "one\r\ntwo\r\n");
    writeFileSync(join(checkout.root, "b.id"), "$Id$\n");
    await git(checkout.root, "add", ".");
    await git(checkout.root, "commit", "--quiet", "-m", "files");
    const worktree = await createWorktree(checkout);
    expect(await git(worktree.folder, "status", "--porcelain")).toBe("");
    expect(await worktree.finish(patchOf(checkout))).toBeUndefined();
    writeFileSync(join(worktree.folder, "a.txt"), "one\r\n2\r\n");
    expect((await worktree.finish(patchOf(checkout)))?.diff).toContain("-two\r\n+2\r\n");
  });
});

test("the session's folder below the top of the checkout has a counterpart", async () => {
  const checkout = await dirtyCheckout();
  const cwd = join(checkout.root, "src");
  const worktree = await createWorktree(checkout, { cwd });
  expect(worktree.folderOf(cwd)).toBe(join(worktree.folder, "src"));
  expect(worktree.folder.endsWith("/project")).toBe(true);
});

test("a worktree with read-only folders is removed", async () => {
  const checkout = await newCheckout();
  const worktree = await createWorktree(checkout);
  mkdirSync(join(worktree.folder, "cache/inner"), { recursive: true });
  writeFileSync(join(worktree.folder, "cache/inner/a"), "a");
  for (const folder of ["cache/inner", "cache"]) chmodSync(join(worktree.folder, folder), 0o500);
  await worktree.remove();
  expect(existsSync(worktree.folder)).toBe(false);
});
