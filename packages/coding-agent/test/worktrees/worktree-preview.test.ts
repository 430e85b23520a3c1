import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textsOf } from "@pintle/ai";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { ApplyRefused } from "../../src/previews/apply-refused.ts";
import { worktreePreview } from "../../src/worktrees/worktree-preview.ts";
import { git } from "../support/examples/git.ts";
import { type Checkout, createWorktree, filesIn, newCheckout, patchOf } from "../support/worktrees/checkout.ts";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);

async function checkoutWithFiles() {
  const checkout = await newCheckout();
  mkdirSync(join(checkout.root, "src"));
  writeFileSync(join(checkout.root, "lines"), LINES.join(""));
  for (const name of ["src/a", "src/b", "c"]) writeFileSync(join(checkout.root, name), `${name}\n`);
  await git(checkout.root, "add", ".");
  await git(checkout.root, "commit", "--quiet", "-m", "files");
  return checkout;
}

/** Lets a child change its worktree, and returns the preview of it. */
async function previewOf(checkout: Checkout, change: (folder: string) => void | Promise<void>, cwd = checkout.root) {
  const worktree = await createWorktree(checkout, { cwd });
  await change(worktree.folder);
  const found = await worktree.finish(patchOf(checkout));
  if (found?.patchPath === undefined) throw new Error("nothing has changed");
  const options = { cwd, home: checkout.home, childId: "worker" };
  return { worktree, preview: await worktreePreview(worktree, { ...found, patchPath: found.patchPath }, options) };
}

const write = (folder: string, path: string, text: string) => writeFileSync(join(folder, path), text);

test("a preview has the patch, the files and their changes", async () => {
  const checkout = await checkoutWithFiles();
  const { preview, worktree } = await previewOf(checkout, (folder) => {
    write(folder, "src/a", "changed\n");
    rmSync(join(folder, "c"));
  });
  expect(preview).toMatchObject({
    label: "Subagent worker: changes in 2 files",
    sourceToolName: "task",
    paths: ["c", "src/a"],
    changes: [
      { path: "c", status: "deleted", removed: 1, sources: ["task"] },
      { path: "src/a", status: "modified", added: 1, removed: 1, hunks: [{ lines: ["-src/a", "+changed"] }] },
    ],
    details: { subagentId: "worker", patchPath: patchOf(checkout), worktree: worktree.folder, files: ["c", "src/a"] },
  });
  expect(preview.applyFiles ?? preview.applyHunks).toBeUndefined();
});

test("paths are relative to the session's folder, and absolute outside of it", async () => {
  const checkout = await checkoutWithFiles();
  const change = (folder: string) => {
    write(folder, "src/a", "changed\n");
    write(folder, "c", "changed\n");
  };
  const { preview } = await previewOf(checkout, change, join(checkout.root, "src"));
  expect(preview.paths).toEqual([join(checkout.root, "c"), "a"]);
});

describe("apply", () => {
  test("makes exactly the child's changes, and removes the worktree", async () => {
    const checkout = await checkoutWithFiles();
    const { preview, worktree } = await previewOf(checkout, async (folder) => {
      write(folder, "binary", "\0\xff");
      chmodSync(join(folder, "src/b"), 0o755);
      await git(folder, "mv", "c", "moved");
      rmSync(join(folder, "src/a"));
      mkdirSync(join(folder, "src/a/deep"), { recursive: true });
      write(folder, "src/a/deep/file", "in place of a file\n");
      rmSync(join(folder, "lines"));
      symlinkSync("src/b", join(folder, "lines"));
    });
    const expected = filesIn(worktree.folder);
    const index = await git(checkout.root, "ls-files", "--stage");
    const result = await preview.apply("good");
    expect(textsOf(result.content)).toEqual(["Applied the changes of worker in 6 files."]);
    expect(filesIn(checkout.root)).toEqual(expected);
    expect(await git(checkout.root, "ls-files", "--stage")).toBe(index);
    expect(existsSync(worktree.folder)).toBe(false);
    expect(existsSync(patchOf(checkout))).toBe(true);
  });

  test("puts a file in place of a folder whose files it removes", async () => {
    const checkout = await checkoutWithFiles();
    const { preview } = await previewOf(checkout, (folder) => {
      rmSync(join(folder, "src"), { recursive: true });
      write(folder, "src", "a file\n");
    });
    await preview.apply("good");
    expect(filesIn(checkout.root).src).toBe("file a file\n");
  });

  test("keeps permissions that git does not store", async () => {
    const checkout = await checkoutWithFiles();
    chmodSync(join(checkout.root, "c"), 0o600);
    const { preview } = await previewOf(checkout, (folder) => {
      write(folder, "c", "changed\n");
      chmodSync(join(folder, "c"), 0o755);
    });
    await preview.apply("good");
    expect(statSync(join(checkout.root, "c")).mode & 0o777).toBe(0o700);
  });

  test("merges with what others have changed elsewhere in the file", async () => {
    const checkout = await checkoutWithFiles();
    const { preview } = await previewOf(checkout, (folder) =>
      write(folder, "lines", LINES.with(2, "child\n").join("")),
    );
    write(checkout.root, "lines", LINES.with(17, "user\n").join(""));
    const result = await preview.apply("good");
    expect(textsOf(result.content)).toEqual(["Applied the changes of worker in 1 file. Merged with other changes: 1."]);
    expect(filesIn(checkout.root).lines).toBe(`file ${LINES.with(2, "child\n").with(17, "user\n").join("")}`);
  });

  const conflicts: Record<string, (root: string) => void> = {
    "the same line was changed": (root) => write(root, "lines", LINES.with(2, "user\n").join("")),
    "the file was removed": (root) => rmSync(join(root, "lines")),
    "there is a folder": (root) => {
      rmSync(join(root, "lines"));
      mkdirSync(join(root, "lines"));
    },
    "there is another file of this name": (root) => write(root, "created", "other\n"),
    "a folder above it is a link now": (root) => {
      mkdirSync(join(root, "elsewhere"));
      symlinkSync("elsewhere", join(root, "new"));
    },
    "there is a file above it": (root) => write(root, "new", "a file\n"),
  };
  for (const [name, meanwhile] of Object.entries(conflicts)) {
    test(`changes nothing if ${name}, and keeps patch and worktree`, async () => {
      const checkout = await checkoutWithFiles();
      const { preview, worktree } = await previewOf(checkout, (folder) => {
        write(folder, "c", "changed\n");
        write(folder, "lines", LINES.with(2, "child\n").join(""));
        write(folder, "created", "created\n");
        mkdirSync(join(folder, "new"));
        write(folder, "new/file", "new\n");
        rmSync(join(folder, "src/b"));
      });
      meanwhile(checkout.root);
      const before = filesIn(checkout.root);
      const error = await rejection(preview.apply("good"));
      expect(error).toBeInstanceOf(ApplyRefused);
      expect(error).toMatchObject({ code: "conflict", message: expect.stringContaining(worktree.folder) });
      expect(filesIn(checkout.root)).toEqual(before);
      const discarded = await preview.reject?.("it does not fit");
      expect(textsOf(discarded?.content ?? []).join()).toContain(patchOf(checkout));
      expect(existsSync(worktree.folder)).toBe(true);
    });
  }

  test("writes nothing through a link", async () => {
    const checkout = await checkoutWithFiles();
    const { preview } = await previewOf(checkout, (folder) => write(folder, "src/a", "changed\n"));
    rmSync(join(checkout.root, "src"), { recursive: true });
    mkdirSync(join(checkout.base, "outside"));
    write(checkout.base, "outside/a", "src/a\n");
    symlinkSync(join(checkout.base, "outside"), join(checkout.root, "src"));
    expect(await rejection(preview.apply("good"))).toMatchObject({ code: "conflict" });
    expect(filesIn(join(checkout.base, "outside"))).toEqual({ a: "file src/a\n" });
  });

  test("changes nothing of pintle's own directory", async () => {
    const checkout = await checkoutWithFiles();
    const worktree = await createWorktree(checkout);
    write(worktree.folder, "settings.yml", "evil\n");
    const found = await worktree.finish(patchOf(checkout));
    const change = { ...found!, patchPath: patchOf(checkout) };
    const options = { cwd: checkout.root, home: checkout.root, childId: "worker" };
    const preview = await worktreePreview(worktree, change, options);
    expect(String(await rejection(preview.apply("good")))).toContain("belongs to pintle itself");
    expect(existsSync(join(checkout.root, "settings.yml"))).toBe(false);
  });
});

test("a discarded preview leaves the patch, and the checkout as it was", async () => {
  const checkout = await checkoutWithFiles();
  const before = filesIn(checkout.root, "", { withGit: true });
  const { preview, worktree } = await previewOf(checkout, (folder) => write(folder, "c", "changed\n"));
  const result = await preview.reject?.("not needed");
  expect(textsOf(result?.content ?? [])).toEqual([
    `Discarded the changes of worker. Reason: not needed. The patch stays in ${patchOf(checkout)}.`,
  ]);
  expect(filesIn(checkout.root, "", { withGit: true })).toEqual(before);
  expect(existsSync(worktree.folder)).toBe(false);
  await git(checkout.root, "apply", patchOf(checkout));
  expect(filesIn(checkout.root).c).toBe("file changed\n");
});
