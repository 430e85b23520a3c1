import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { Batch } from "../../../src/sessions/accepted/batch.ts";
import { PromptFile } from "../../../src/sessions/accepted/prompt-file.ts";

test("keeps a prompt before the engine has made the directory of the session", () => {
  const root = scratchPath();
  const problems: string[] = [];
  const path = join(root, "sessions", "--project--", "one.jsonl.accepted");
  const batch = new Batch();
  const frame = JSON.stringify({ type: "prompt", message: "hello" });
  batch.accept({ ref: "1", command: "prompt", frame, entryId: null, outcome: null, key: null, response: "" });
  new PromptFile(path, (problem) => problems.push(problem)).write(batch, () => ({ acceptedAt: 1, since: undefined }));
  const found = new PromptFile(path, (problem) => problems.push(problem)).read();
  rmSync(root, { recursive: true });
  expect({ found, problems }).toMatchObject({ found: { prompts: [{ text: "hello", acceptedAt: 1 }] }, problems: [] });
});
