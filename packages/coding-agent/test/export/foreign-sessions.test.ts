import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportHtml } from "../../src/export/export-html.ts";
import { readPageFile } from "./read-page.ts";

const fixtures = join(import.meta.dir, "../fixtures/foreign-sessions");
const files = [...new Bun.Glob("*/sessions/**/*.jsonl").scanSync(fixtures)].sort();

describe("files of pi and oh-my-pi", () => {
  test("are there", () => expect(files.length).toBeGreaterThan(30));

  test.each(files)("%s", async (file) => {
    const directory = mkdtempSync(join(tmpdir(), "pintle-export-"));
    try {
      const options = {
        source: { path: join(fixtures, file) },
        cwd: directory,
        blobDir: join(directory, "none"),
        version: "1",
      };
      const { index, bodies, html } = readPageFile((await exportHtml(options)).path);
      const lines = (await Bun.file(join(fixtures, file)).text()).trim().split("\n");
      const entries = lines
        .map((line) => JSON.parse(line))
        .filter(({ type }) => type !== "session" && type !== "title");
      expect(index.rows).toHaveLength(entries.length);
      expect(bodies).toHaveLength(entries.length);
      expect(index.leaf).toBe(entries.length - 1);
      for (const [place, row] of index.rows.entries()) expect(row.parent).toBeLessThan(place);
      const users = entries.filter(({ message }) => message?.role === "user").length;
      expect(index.rows.filter(({ kind }) => kind === "user")).toHaveLength(users);
      // Nothing but bookkeeping of those programs is shown as raw data.
      const raw = index.rows.filter(({ kind }) => kind === "data").map(({ title }) => title);
      expect(
        raw.filter(
          (title) => !["fixture-state", "session_exit", "tool_execution_start", "context_edit"].includes(title),
        ),
      ).toEqual([]);
      expect(html).not.toContain("blob:sha256:");
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
