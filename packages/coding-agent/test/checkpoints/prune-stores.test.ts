import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { pruneStores } from "../../src/checkpoints/store/prune-stores.ts";
import { WorkspaceStore } from "../../src/checkpoints/store/workspace-store.ts";

const LATER = Date.now() + 24 * 3_600_000;

/** A store with one checkpoint per content, each in a pack of its own. */
function storeWith(directory: string, contents: readonly string[]): WorkspaceStore {
  for (const [index, content] of contents.entries()) {
    const store = WorkspaceStore.open(directory, "/project");
    const checkpointId = `cp_${index}`;
    store.createCheckpoint({
      kind: "checkpoint",
      checkpointId,
      sessionId: "s",
      entryId: "e",
      prompt: "",
      createdAt: index,
      coverage: "workspace",
    });
    const after = store.keep({ type: "file", mode: 0o644, bytes: Buffer.from(content) });
    store.append(checkpointId, {
      kind: "changes",
      at: "e",
      sources: [],
      changes: [{ path: "/project/a", before: null, after }],
    });
    store.close();
  }
  return WorkspaceStore.open(directory, "/project");
}

test("removes the oldest checkpoints above the bound, and the packs that nothing refers to", () => {
  using scratch = scratchDirectory();
  const directory = join(scratch.path, "one");
  const store = storeWith(directory, ["a".repeat(1000), "b".repeat(1000), "c".repeat(1000)]);
  pruneStores(scratch.path, { maxBytes: 2500, now: LATER });
  const left = WorkspaceStore.open(directory, "/project");
  expect(["cp_0", "cp_1", "cp_2"].map((id) => left.checkpoint(id) !== undefined)).toEqual([false, true, true]);
  expect(readdirSync(join(directory, "packs")).filter((name) => name.endsWith(".pack"))).toHaveLength(2);
  const [record] = left.checkpoint("cp_1")!.records;
  expect(left.load(record!.changes[0]!.after)?.state?.bytes.length).toBe(1000);
  store.close();
});

test("keeps everything within the bound, and fresh packs that nothing refers to yet", () => {
  using scratch = scratchDirectory();
  const directory = join(scratch.path, "one");
  const store = storeWith(directory, ["a", "b"]);
  store.objects.put(Buffer.from("not recorded yet"));
  pruneStores(scratch.path, { maxBytes: 100, now: Date.now() });
  expect(readdirSync(join(directory, "packs")).filter((name) => name.endsWith(".pack"))).toHaveLength(3);
  expect(WorkspaceStore.open(directory, "/project").checkpoint("cp_0")).toBeDefined();
  store.close();
});
