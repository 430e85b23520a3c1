import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recoverWorktrees } from "../../src/worktrees/left-worktrees.ts";
import {
  type Checkout,
  createWorktree,
  editRecord,
  newCheckout,
  processRunner,
} from "../support/worktrees/checkout.ts";

/** Leaves a worktree as a killed process does. */
async function leave(checkout: Checkout, sessionFile: string, change: (folder: string) => void) {
  const worktree = await createWorktree(checkout, { sessionFile });
  change(worktree.folder);
  editRecord(checkout, worktree.name, { owner: { pid: 1, host: "other", startedAt: "earlier" } });
  return worktree;
}

function recover({ home }: Checkout, sessionFile: string) {
  return recoverWorktrees(sessionFile, { home, processRunner: async () => processRunner });
}

test("stores and reports the changes of a leftover worktree once, and keeps it until then", async () => {
  const checkout = await newCheckout();
  const sessionFile = join(checkout.base, "session.jsonl");
  const worktree = await leave(checkout, sessionFile, (folder) => writeFileSync(join(folder, "a"), "work\n"));
  const patchPath = join(checkout.base, "session", `${worktree.name}.patch`);
  expect(await recover(checkout, sessionFile)).toEqual([
    { childId: "worker", directory: worktree.folder, patchPath, missing: [] },
  ]);
  expect(readFileSync(patchPath, "utf8")).toContain("+work");
  expect(readFileSync(join(worktree.folder, "a"), "utf8")).toBe("work\n");
  expect(await recover(checkout, sessionFile)).toEqual([]);
  expect(existsSync(worktree.folder)).toBe(false);
  expect(existsSync(patchPath)).toBe(true);
});

test("keeps a worktree with work that no patch contains", async () => {
  const checkout = await newCheckout();
  const sessionFile = join(checkout.base, "session.jsonl");
  const worktree = await leave(checkout, sessionFile, (folder) => {
    mkdirSync(join(folder, "inner/.git"), { recursive: true });
    writeFileSync(join(folder, "inner/.git/HEAD"), "ref: refs/heads/main\n");
    for (const name of ["objects", "refs"]) mkdirSync(join(folder, "inner/.git", name));
    writeFileSync(join(folder, "a"), "work\n");
  });
  expect(await recover(checkout, sessionFile)).toMatchObject([{ missing: ["inner is a repository of its own"] }]);
  expect(await recover(checkout, sessionFile)).toEqual([]);
  expect(existsSync(worktree.folder)).toBe(true);
});

test("removes a worktree without changes, even an incomplete one or one that was being removed", async () => {
  const checkout = await newCheckout();
  const sessionFile = join(checkout.base, "session.jsonl");
  await leave(checkout, sessionFile, () => {});
  const incomplete = await leave(checkout, sessionFile, (folder) => writeFileSync(join(folder, "a"), "a copy\n"));
  editRecord(checkout, incomplete.name, { tree: undefined });
  const removed = await leave(checkout, sessionFile, (folder) => rmSync(folder, { recursive: true }));
  editRecord(checkout, removed.name, { isRemoved: true });
  expect(await recover(checkout, sessionFile)).toEqual([]);
  expect(readdirSync(join(checkout.home, "worktrees"))).toEqual([]);
  expect(readdirSync(join(checkout.home, "worktree-records"))).toEqual([]);
});

test("reports and keeps a worktree that git cannot compare", async () => {
  const checkout = await newCheckout();
  const sessionFile = join(checkout.base, "session.jsonl");
  const worktree = await leave(checkout, sessionFile, (folder) => writeFileSync(join(folder, ".git/index"), "damaged"));
  const missing = [expect.stringContaining("git ls-files failed")];
  expect(await recover(checkout, sessionFile)).toEqual([{ childId: "worker", directory: worktree.folder, missing }]);
  expect(existsSync(worktree.folder)).toBe(true);
});

test("worktrees of other sessions and of this process are left alone", async () => {
  const checkout = await newCheckout();
  const [own, other] = ["own", "other"].map((name) => join(checkout.base, `${name}.jsonl`)) as [string, string];
  const inUse = await createWorktree(checkout, { sessionFile: own });
  const foreign = await leave(checkout, other, () => {});
  expect(await recover(checkout, own)).toEqual([]);
  expect([inUse, foreign].map(({ folder }) => existsSync(folder))).toEqual([true, true]);
});
