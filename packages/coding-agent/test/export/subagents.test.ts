import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { subagentRowId } from "@pintle/page";
import { exportHtml } from "../../src/export/export-html.ts";
import { type ReadPage, readPageFile } from "../support/export/read-page.ts";
import { startFamily, task } from "../support/subagents/family.ts";

const SECRET = "correct-horse-battery-staple";

/** A session whose subagent starts another one, closed. */
async function storedFamily() {
  const { session, cwd } = await startFamily(({ task: text, turn }) => {
    if (turn > 0) return [{ text: text === "inner" ? "the inner answer" : `${text} answer with ${SECRET}` }];
    if (text === "Go") return [task({ tasks: [{ task: "outer", name: "zed" }] })];
    if (text === "outer") return [task({ tasks: [{ task: "inner", name: "abe", agent: "scout" }] })];
    return [{ text: "the inner answer" }];
  });
  await session.prompt("Go");
  const path = session.sessionFile as string;
  await session.dispose();
  return { cwd, path, directory: path.replace(/\.jsonl$/, "") };
}

async function exportFamily({ cwd, path }: { cwd: string; path: string }) {
  const problems: string[] = [];
  const written = await exportHtml({
    source: { path },
    cwd,
    outputPath: "page.html",
    secrets: [SECRET],
    version: "9.9.9",
    report: (problem) => problems.push(problem),
  });
  return { ...readPageFile(written.path), problems };
}

/** The rows of a subagent's conversation, from its beginning to its newest end. */
function conversationOf({ index: { rows } }: ReadPage, subagent: string): number[] {
  const path = [rows.findIndex(({ id }) => id === subagentRowId(subagent))];
  for (let next = 0; next !== -1; ) {
    next = rows.findIndex(({ parent }) => parent === path.at(-1));
    if (next !== -1) path.push(next);
  }
  return path;
}

describe("subagents in an exported page", () => {
  test("have conversations of their own, linked with the call that started them, and masked", async () => {
    const page = await exportFamily(await storedFamily());
    const { rows, leaf } = page.index;
    expect(page.problems).toEqual([]);
    expect(page.html).not.toContain(SECRET);
    const beginnings = rows.flatMap((row, place) => (row.kind === "subagent" ? [{ row, place }] : []));
    expect(beginnings.map(({ row }) => row.title)).toEqual(["Subagent zed (task)", "Subagent abe (scout)"]);
    expect(leaf).toBeLessThan(beginnings[0]?.place as number);

    const outer = conversationOf(page, "zed");
    expect(JSON.stringify(outer.map((place) => page.bodies[place]))).toContain("outer answer with ");
    expect(rows[outer[0] as number]?.parent).toBe(-1);
    const callers = beginnings.map(({ place }) => page.bodies[place] as { startedBy?: string });
    const [first, second] = callers.map(({ startedBy }) => rows.findIndex(({ id }) => id === startedBy));
    expect(rows[first as number]).toMatchObject({ kind: "tool", tool: "task" });
    expect(first).toBeLessThan(leaf);
    expect(outer).toContain(second as number);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  test("include those that a call has left in the background", async () => {
    const family = await storedFamily();
    const text = readFileSync(family.path, "utf8");
    const lines = text.split("\n").map((line) => {
      if (!line.includes('"toolResult"')) return line;
      const entry = JSON.parse(line);
      entry.message.details = { results: [], async: { state: "running", jobId: "zed", jobIds: ["zed"], type: "task" } };
      return JSON.stringify(entry);
    });
    writeFileSync(family.path, lines.join("\n"));
    const page = await exportFamily(family);
    const [beginning] = conversationOf(page, "zed");
    expect(page.index.rows[beginning as number]?.title).toBe("Subagent zed");
    expect(page.bodies[beginning as number]).toMatchObject({ startedBy: expect.any(String) });
  });

  test("are left out if the file is damaged, is a link, or has a name that no subagent has", async () => {
    const family = await storedFamily();
    const { directory } = family;
    writeFileSync(join(directory, "zed.jsonl"), "no session\n");
    renameSync(join(directory, "abe.jsonl"), join(directory, "..", "elsewhere.jsonl"));
    symlinkSync(join(directory, "..", "elsewhere.jsonl"), join(directory, "abe.jsonl"));
    writeFileSync(join(directory, "a b.jsonl"), readFileSync(family.path));
    mkdirSync(join(directory, "folder.jsonl"));
    const page = await exportFamily(family);
    expect(page.index.rows.some(({ kind }) => kind === "subagent")).toBe(false);
    expect(page.html).not.toContain("the inner answer");
    expect(page.problems).toEqual([expect.stringContaining("The subagent zed is not in the page: ")]);
  });

  test("are limited in size; those beyond are named", async () => {
    const family = await storedFamily();
    truncateSync(join(family.directory, "zed.jsonl"), 33 * 1024 * 1024);
    const page = await exportFamily(family);
    expect(page.index.rows.flatMap(({ kind, title }) => (kind === "subagent" ? [title] : []))).toEqual([
      "Subagent abe",
    ]);
    expect(page.problems).toEqual(["Subagents beyond 32 MB are not in the page: zed"]);
  });
});
