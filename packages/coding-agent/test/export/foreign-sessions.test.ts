import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { exportHtml } from "../../src/export/export-html.ts";
import { readPageFile } from "../support/export/read-page.ts";

const fixtures = join(import.meta.dir, "../fixtures/foreign-sessions");
const files = [...new Bun.Glob("*/sessions/**/*.jsonl").scanSync(fixtures)].sort();

describe("files of pi and oh-my-pi", () => {
  test("exist as fixtures", () => expect(files.length).toBeGreaterThan(30));

  test.each(files)("%s", async (file) => {
    const directory = scratchPath();
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
      // Only those programs' bookkeeping is shown as raw data.
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

describe("a file in the format of xcsh", () => {
  const root = join(import.meta.dir, "fixtures/xcsh");
  const file = "sessions/-project/2026-07-14T08-00-00-000Z_15d1a0c37e9b4f02.jsonl";

  test("opens with its complete content", async () => {
    const directory = scratchPath();
    const problems: string[] = [];
    try {
      const { path } = await exportHtml({
        source: { path: join(root, file) },
        cwd: directory,
        blobDir: join(directory, "none"), // the blob is next to the sessions
        version: "1",
        report: (problem) => problems.push(problem),
      });
      const { index, bodies, images } = readPageFile(path);
      expect(problems).toEqual([]);
      expect(index.session).toMatchObject({
        id: "15d1a0c37e9b4f02",
        name: "Tidy the parser",
        cwd: "/home/user/project",
        parent: "15d19fff00112233",
      });
      expect(images).toEqual([expect.stringMatching(/^data:image\/png;base64,iVBOR/)]);
      expect(index.rows.map(({ kind, title }) => `${kind}: ${title}`)).toEqual([
        "system: System prompt",
        "change: Model: anthropic/claude-sonnet-4-5",
        "change: Thinking: off",
        'change: Service tier: "flex"',
        "change: Mode: plan",
        "data: mcp_tool_selection",
        "note: Instructions: Answer in English.",
        "files: src/parse.ts",
        "user: Tidy src/parse.ts, like in this picture.",
        "change: Label: start",
        "assistant: I look at it.",
        "tool: src/parse.ts",
        "assistant: ast_edit",
        "tool: parse → parseText",
        "note: resolve-reminder: Call resolve.",
        "assistant: resolve",
        "tool: apply: One place, and it is right.",
        "assistant: todo_write",
        "tool: update",
        "shell: bun test",
        "shell: print(1 + 1)",
        "assistant: Done. [Session persistence truncated large content]",
        "user: And what about Rust?",
        "assistant: That is another way.",
        "branch: Summary of another branch",
        "change: Rules injected: no-any",
        "data: context_change",
        "compaction: Compaction of 52,100 tokens",
        "data: tool_execution_start",
        "note: ci: The build is green.",
        "user: Thank you.",
        "assistant: You are welcome.",
      ]);
      expect(index.leaf).toBe(index.rows.length - 1);
      expect(index.rows[8]?.label).toBe("start");
      expect(index.rows.filter(({ isUnseen }) => isUnseen).map(({ title }) => title)).toEqual([
        "resolve-reminder: Call resolve.",
      ]);
      expect(index.rows[16]?.decision).toMatchObject({ verdict: "apply", tool: "ast_edit" });
      expect(index.rows[23]).toMatchObject({ state: "aborted", parent: 22 });
      expect(index.rows[24]?.parent).toBe(21);
      expect(bodies[27]).toEqual({ text: "## Goal\nTidy the parser.", facts: ["written by an extension"] });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
