import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { gitBranch } from "../../src/status/git-branch.ts";

test("the branch is read from below the repository, from worktrees and without one", () => {
  const root = scratchPath();
  try {
    const repository = join(root, "repository");
    mkdirSync(join(repository, ".git", "worktrees", "other"), { recursive: true });
    mkdirSync(join(repository, "src", "deep"), { recursive: true });
    mkdirSync(join(root, "worktree"));
    writeFileSync(join(repository, ".git", "HEAD"), "ref: refs/heads/feature/one\n");
    writeFileSync(join(repository, ".git", "worktrees", "other", "HEAD"), "0123456789abcdef0123456789abcdef01234567\n");
    writeFileSync(join(root, "worktree", ".git"), `gitdir: ${join(repository, ".git", "worktrees", "other")}\n`);
    expect(gitBranch(join(repository, "src", "deep"))).toBe("feature/one");
    expect(gitBranch(join(root, "worktree"))).toBe("01234567");
  } finally {
    rmSync(root, { recursive: true });
  }
});
