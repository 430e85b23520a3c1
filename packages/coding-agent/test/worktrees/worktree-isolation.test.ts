import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { startInWorktree } from "../../src/worktrees/worktree-isolation.ts";
import { git } from "../support/examples/git.ts";
import { type Checkout, filesIn, newCheckout, processRunner } from "../support/worktrees/checkout.ts";

function start(
  { home, userHome, root, base }: Checkout,
  { signal = new AbortController().signal, inMemory = false } = {},
) {
  const sessionFile = inMemory ? undefined : join(base, "session.jsonl");
  const parts = { home, userHome, processRunner: async () => processRunner };
  return startInWorktree({ id: "worker", cwd: root, sessionFile }, parts, signal);
}

test("reports the changed files and stages their preview", async () => {
  const checkout = await newCheckout();
  const { cwd, finish } = await start(checkout);
  writeFileSync(join(cwd, "a"), "one\ntwo\n");
  const { filesChanged, patchPath, preview, problem } = await finish();
  expect(filesChanged).toEqual([{ path: "a", status: "added", added: 2, removed: 0, binary: false }]);
  expect(patchPath).toStartWith(join(checkout.base, "session/worker-"));
  expect(problem).toBeUndefined();
  await preview?.apply("good");
  expect(filesIn(checkout.root)).toEqual({ a: "file one\ntwo\n" });
});

test("removes a worktree without changes", async () => {
  const checkout = await newCheckout();
  const { cwd, finish } = await start(checkout);
  expect(await finish()).toEqual({ filesChanged: [] });
  expect(existsSync(cwd)).toBe(false);
});

test("stores the patch of a session without a file in pintle's directory", async () => {
  const checkout = await newCheckout();
  const { cwd, finish } = await start(checkout, { inMemory: true });
  writeFileSync(join(cwd, "a"), "a\n");
  expect((await finish()).patchPath).toStartWith(join(checkout.home, "worktrees/patches/worker-"));
});

test("keeps the files if their changes cannot be collected or are not all in the patch", async () => {
  const checkout = await newCheckout();
  const [broken, partial] = [await start(checkout), await start(checkout)];
  writeFileSync(join(broken.cwd, ".git/index"), "damaged");
  writeFileSync(join(partial.cwd, "a"), "a\n");
  await git(partial.cwd, "init", "--quiet", "inner");
  const lost = await broken.finish();
  expect(lost).toEqual({ filesChanged: [], problem: expect.stringContaining(broken.cwd) });
  const kept = await partial.finish();
  expect(kept.problem).toContain("The patch does not contain: inner is a repository of its own");
  await kept.preview?.apply("good");
  expect([broken, partial].map(({ cwd }) => existsSync(cwd))).toEqual([true, true]);
});

test("fails without a repository, and leaves nothing behind when aborted", async () => {
  const checkout = await newCheckout();
  const abort = new AbortController();
  abort.abort(new Error("aborted by the user"));
  expect(String(await rejection(start(checkout, { signal: abort.signal })))).toContain("aborted by the user");
  rmSync(join(checkout.root, ".git"), { recursive: true });
  mkdirSync(join(checkout.root, "src"));
  const text = String(await rejection(start(checkout)));
  expect(text).toContain(`isolation "worktree" is not possible here: ${checkout.root} is not in a git repository`);
  expect(["worktrees", "worktree-records"].map((name) => readdirSync(join(checkout.home, name)))).toEqual([[], []]);
});
