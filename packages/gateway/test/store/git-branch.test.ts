import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { gitBranch } from "../../src/commands/list-sessions.ts";

const root = scratchPath();

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

write("app/.git/HEAD", "ref: refs/heads/feature/x\n");
write("app/src/deep/a.ts", "");
write("detached/.git/HEAD", "2b1f0c5a\n");
write("main/.git/worktrees/other/HEAD", "ref: refs/heads/other\n");
write("other/.git", `gitdir: ${join(root, "main/.git/worktrees/other")}\n`);
write("relative/.git", "gitdir: ../main/.git/worktrees/other\n");
write("damaged/.git", "nothing\n");

test.each([
  ["app", "feature/x"],
  ["app/src/deep", "feature/x"],
  ["detached", undefined],
  ["other", "other"],
  ["relative", "other"],
])("in %s the branch is %p", (directory, branch) => {
  expect(gitBranch(join(root, directory))).toBe(branch);
});

test("without a repository there is none", () => {
  expect(gitBranch(join(root, "damaged"))).toBe(gitBranch(tmpdir()));
  expect(gitBranch("/does/not/exist")).toBeUndefined();
});
