import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { SessionError } from "../../../storage/src/session-error.ts";
import { SessionStore } from "../../../storage/src/session-store.ts";
import { exportHtml } from "../../src/export/export-html.ts";
import { workingDirectory } from "../../src/session/conversation/working-directory.ts";

const scratch = scratchDirectory();
afterAll(() => scratch[Symbol.dispose]());

/** Values of the wrong kind, including objects that cannot be converted to a string. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, 5, true, "", "text", [], {}, { toString: 1 }, [{ toString: "x", valueOf: 2 }], {
    length: 3,
  }),
  fc.jsonValue({ maxDepth: 2 }),
);
const odds = (...names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] });

const header = odds("cwd", "timestamp", "parentSession", "title", "titleSource", "version").map((fields) => ({
  type: "session",
  id: "hostile",
  ...fields,
}));
const block = fc.tuple(
  fc.constantFrom("text", "thinking", "toolCall", "image", "redactedThinking"),
  odds("text", "thinking", "id", "name", "arguments", "data", "mimeType", "argumentsError"),
);
const content = fc.oneof(
  odd,
  fc.array(
    block.map(([type, fields]) => ({ type, ...fields })),
    { maxLength: 3 },
  ),
);
const message = fc
  .tuple(
    fc.constantFrom(
      "user",
      "assistant",
      "toolResult",
      "bashExecution",
      "pythonExecution",
      "custom",
      "branchSummary",
      "fileMention",
    ),
    odds(
      "command",
      "code",
      "output",
      "toolCallId",
      "toolName",
      "details",
      "usage",
      "stopReason",
      "errorMessage",
      "provider",
      "model",
    ),
    odds("timestamp", "exitCode", "files", "summary", "customType", "display", "isError", "api"),
    content,
  )
  .map(([role, first, second, blocks]) => ({ role, ...first, ...second, content: blocks }));
const entry = fc
  .tuple(
    fc.constantFrom(
      "message",
      "custom",
      "custom_message",
      "compaction",
      "branch_summary",
      "label",
      "session_info",
      "title_change",
      "session_init",
      "mode_change",
      "model_change",
      "ttsr_injection",
    ),
    odds(
      "parentId",
      "timestamp",
      "name",
      "title",
      "label",
      "targetId",
      "summary",
      "data",
      "details",
      "customType",
      "content",
    ),
    odds(
      "systemPrompt",
      "task",
      "tools",
      "mode",
      "injectedRules",
      "firstKeptEntryId",
      "tokensBefore",
      "fromId",
      "method",
      "excludeFromContext",
      "display",
    ),
    fc.oneof(odd, message),
  )
  .map(([type, first, second, said]) => ({ type, ...first, ...second, message: said }));

test(
  "whatever the fields of a session file are, it can be listed, opened, shown and exported, or is refused with a reason",
  async () => {
    const directory = join(scratch.path, "sessions");
    let exported = 0;
    const property = fc.asyncProperty(header, fc.array(entry, { maxLength: 6 }), async (first, entries) => {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(directory);
      const path = join(directory, "2026-01-01T00-00-00-000Z_hostile.jsonl");
      const lines = [first, ...entries.map((fields, n) => ({ id: `e${n}`, ...fields }))];
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const store = new SessionStore({
        cwd: scratch.path,
        sessionDir: directory,
        blobDir: join(scratch.path, "blobs"),
        clock: { now: () => 0 },
        process: { pid: process.pid, host: "test", startedAt: "now" },
        fsync: "never",
      });
      await store.listAll();
      await store.page({ limit: 10, query: "text" });
      try {
        const manager = await store.open(path, { access: "read" });
        manager.buildContext();
        workingDirectory(manager.header.cwd, scratch.path);
        manager.close();
        const outputPath = join(scratch.path, "page.html");
        await exportHtml({
          source: { path },
          cwd: scratch.path,
          outputPath,
          version: "1",
          secrets: ["a known secret"],
        });
        exported += 1;
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
      }
    });
    await fc.assert(property, propertyRuns({ numRuns: 200, seed: 17 }));
    expect(exported).toBeGreaterThan(0);
  },
  PROPERTY_TIMEOUT_MS,
);
