import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { PromptHistory } from "../../src/editor/prompt-history.ts";

test("stores sent prompts readable only by the owner, skips foreign lines and long prompts", async () => {
  const directory = scratchPath();
  try {
    const home = join(directory, "home");
    const history = new PromptHistory(home);
    expect(await history.read()).toEqual([]);
    await history.add("one\nof two lines");
    await history.add("x".repeat(20_000));
    const file = join(home, "terminal-history.jsonl");
    appendFileSync(file, '{"not": "ours"}\n"torn');
    await history.add("two");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await new PromptHistory(home).read()).toEqual(["one\nof two lines"]);
    await history.add("three");
    expect(await new PromptHistory(home).read()).toEqual(["one\nof two lines", "three"]);
    expect(readFileSync(file, "utf8")).not.toContain("xxx");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
