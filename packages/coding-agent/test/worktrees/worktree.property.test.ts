import { expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { ApplyRefused } from "../../src/previews/apply-refused.ts";
import { worktreePreview } from "../../src/worktrees/worktree-preview.ts";
import { git } from "../support/examples/git.ts";
import { createWorktree, filesIn, newCheckout, patchOf } from "../support/worktrees/checkout.ts";

/** Few names, so that files, folders and links take each other's place; among them some that need quoting. */
const name = fc.constantFrom(
  "a",
  "b",
  "c.ign",
  "-x",
  "a b",
  '"q"',
  "é",
  "new\nline",
  "*",
  ":x",
  "back\\slash",
  ".hidden",
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const content = fc.oneof(
  fc.array(fc.constantFrom("one", "two", "three", "", "ż"), { maxLength: 12 }).map((lines) => lines.join("\n")),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("write" as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("link" as const), path, to: fc.oneof(path, fc.constant("../..")) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("mode" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("stage" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("commit" as const) }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Makes a change with what is in its way removed. Never follows a link. */
async function make(root: string, one: Change): Promise<void> {
  if (one.kind === "stage") await git(root, "add", "--all");
  else if (one.kind === "commit") await git(root, "commit", "--quiet", "--all", "--allow-empty", "-m", "change");
  else {
    const target = join(root, one.path);
    if (one.kind === "mode") {
      const stats = kindOf(root, target);
      if (stats?.isFile()) chmodSync(target, stats.mode ^ 0o111);
      return;
    }
    kindOf(root, target); // removes links above it
    rmSync(target, { recursive: true, force: true });
    if (one.kind === "remove") return;
    mkdirSync(dirname(target), { recursive: true });
    if (one.kind === "write") writeFileSync(target, one.content);
    else symlinkSync(one.to, target);
  }
}

/** Removes files and links that are in place of a folder above the path. Returns what is at the path. */
function kindOf(root: string, target: string) {
  for (let above = dirname(target); above !== root; above = dirname(above)) {
    const highest = obstacleAbove(root, above);
    if (highest) rmSync(highest);
  }
  return lstatSync(target, { throwIfNoEntry: false });
}

function obstacleAbove(root: string, folder: string): string | undefined {
  if (folder === root) return undefined;
  const higher = obstacleAbove(root, dirname(folder));
  if (higher) return higher;
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats && !stats.isDirectory() ? folder : undefined;
}

/** What a patch can contain: everything but ignored files that git does not track. */
async function visibleFiles(root: string) {
  const listed = await git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  const names = new Set(listed.split("\0"));
  return Object.fromEntries(Object.entries(filesIn(root)).filter(([file]) => names.has(file)));
}

const changes = (maxLength: number) => fc.array(change, { maxLength });
const scenario = fc.record({ before: changes(10), dirty: changes(10), child: changes(8), meanwhile: changes(3) });

test(
  "a worktree begins with what the checkout has; its patch makes exactly its changes, in whole or not at all",
  async () => {
    const property = fc.asyncProperty(scenario, async ({ before, dirty, child, meanwhile }) => {
      const checkout = await newCheckout();
      const { root, base, home } = checkout;
      try {
        writeFileSync(join(root, ".gitignore"), "*.ign\n");
        for (const one of before) await make(root, one);
        await git(root, "add", "--all");
        await git(root, "commit", "--quiet", "--allow-empty", "-m", "before");
        for (const one of dirty) await make(root, one);
        const state = filesIn(root, "", { withGit: true });
        const began = await visibleFiles(root);

        const worktree = await createWorktree(checkout);
        expect(filesIn(worktree.folder)).toEqual(began);
        const status = ["status", "--porcelain=v2", "--untracked-files=all"];
        const ours = await git(root, "--no-optional-locks", ...status);
        expect(await git(worktree.folder, ...status)).toBe(ours);

        for (const one of child) await make(worktree.folder, one);
        const found = await worktree.finish(patchOf(checkout));
        const ended = await visibleFiles(worktree.folder);
        expect(filesIn(root, "", { withGit: true })).toEqual(state);
        expect(found?.missing ?? []).toEqual([]);
        if (found?.patchPath === undefined) {
          expect(ended).toEqual(began);
          return;
        }
        const copy = join(base, "copy");
        cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
        for (const file of Object.keys(ignoredIn(filesIn(copy), began))) {
          rmSync(join(copy, file));
          removeEmpty(dirname(join(copy, file)));
        }
        if (await isAppliedByGit(copy, found.patchPath)) expect(filesIn(copy)).toEqual(ended);

        for (const one of meanwhile) await make(root, one);
        const meantime = filesIn(root);
        const preview = await worktreePreview(
          worktree,
          { ...found, patchPath: found.patchPath },
          { cwd: root, home, childId: "w" },
        );
        try {
          await preview.apply("");
          if (meanwhile.length === 0) {
            expect(filesIn(root)).toEqual({ ...ignoredIn(meantime, began), ...ended });
          }
        } catch (error) {
          if (!(error instanceof ApplyRefused)) throw error;
          expect(filesIn(root)).toEqual(meantime);
          // An ignored file in the way is no part of the baseline, and stays as well.
          expect(meanwhile.length + Object.keys(ignoredIn(meantime, began)).length).toBeGreaterThan(0);
        }
      } finally {
        rmSync(base, { recursive: true, force: true });
      }
    });
    await fc.assert(property, propertyRuns({ numRuns: 25, seed: 49 }));
  },
  PROPERTY_TIMEOUT_MS,
);

const ignoredIn = (files: Record<string, string>, visible: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).filter(([file]) => !(file in visible)));

/** Git itself cannot replace a link that leads in a circle by a folder. */
async function isAppliedByGit(root: string, patch: string): Promise<boolean> {
  try {
    await git(root, "apply", "--binary", patch);
    return true;
  } catch (error) {
    expect(String(error)).toContain("Too many levels of symbolic links");
    return false;
  }
}

function removeEmpty(folder: string): void {
  if (readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmpty(dirname(folder));
}
