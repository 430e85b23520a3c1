import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode } from "@pintle/wire";
import { ALL_ATTEMPTS } from "../../../exec/test/support/sandbox/escapes/all-attempts.ts";
import { presetEffect } from "../../src/permissions/presets.ts";
import type { JudgedRequest, RequestKind } from "../../src/permissions/request.ts";
import { plainReading } from "../support/permissions/plain-reading.ts";

// Compares the tables in docs/security.md with the presets of the program and the list of escape attempts.

const page = readFileSync(join(import.meta.dir, "../../../../docs/security.md"), "utf8");

/** Returns the rows of a chapter's table by their first cell. */
function tableOf(title: string): Map<string, string[]> {
  const chapter = page.split(/^##+ /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  const rows = [...chapter.matchAll(/^\| (.*) \|$/gm)].map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));
  return new Map(rows.map(([first = "", ...cells]) => [first, cells]));
}

test("the page has the number of escape attempts and of those that pass at partial", () => {
  const table = tableOf("What `partial` cannot stop");
  const counts = Object.entries(ALL_ATTEMPTS).map(([kind, attempts]) => {
    const passing = attempts.filter(({ partial }) => partial !== "stopped");
    return [kind, [String(attempts.length), String(passing.length)]];
  });
  expect(counts.map(([kind]) => [kind, table.get(String(kind))?.slice(0, 2)])).toEqual(counts);
  const all = Object.values(ALL_ATTEMPTS).flat().length;
  expect(page).toContain(`The tests make ${all} attempts`);
});

const PRESETS: readonly PermissionMode[] = ["plan", "ask", "workspace", "full"];

function judged(kind: RequestKind, facts: { path?: string; looks?: boolean; isSandboxed?: boolean; origin?: string }) {
  const { path, looks = false, isSandboxed = false, origin = "builtin" } = facts;
  const access = kind === "write" ? "write" : "read";
  const result: JudgedRequest = {
    request: {
      toolCallId: "1",
      tool: "x",
      kind,
      title: "",
      origin,
      ...(path !== undefined && { paths: [{ path, real: path, access }] }),
    },
    ...(looks && { reading: plainReading({ readOnlyPrograms: [true], patternPrograms: [false] }) }),
    isSandboxed,
    isLeftToHost: false,
  };
  return result;
}

const allows = (mode: PermissionMode, request: JudgedRequest): boolean =>
  presetEffect(mode, request, (real) => real.startsWith("/project/")) === "allow";

describe("what each preset allows", () => {
  const table = tableOf("What each preset allows");
  const rows: Readonly<Record<string, JudgedRequest>> = {
    "reads project files": judged("read", { path: "/project/a" }),
    "reads other files with file tools": judged("read", { path: "/etc/x" }),
    "changes project files with file tools": judged("write", { path: "/project/a" }),
    "changes other files with file tools": judged("write", { path: "/etc/x" }),
    "runs read-only commands (`ls`, `grep`)": judged("execute", { looks: true }),
    "calls tools of MCP servers, the host, users": judged("execute", { origin: "mcp:x" }),
  };
  for (const [row, request] of Object.entries(rows)) {
    test(row, () => {
      const stated = table.get(row)?.map((cell) => /^yes\b/.test(cell));
      expect(stated).toEqual(PRESETS.map((mode) => allows(mode, request)));
    });
  }

  test("runs other commands", () => {
    const expected = (mode: PermissionMode) => {
      const [confined, bare] = [true, false].map((isSandboxed) => allows(mode, judged("execute", { isSandboxed })));
      if (confined === bare) return bare ? "yes" : "no";
      return confined ? "only at strength `full`" : "never";
    };
    expect(table.get("runs other commands")).toEqual(PRESETS.map(expected));
  });
});

test("a preset allows a command exactly where the page says that it runs unasked", () => {
  const table = tableOf("How each preset runs commands");
  const rows = [...table].filter(([first]) => /^`\w+` \(/.test(first));
  expect(rows.length).toBe(PRESETS.length);
  for (const [first, [full = "", partial = "", none = ""]] of rows) {
    const mode = PRESETS.find((preset) => first.startsWith(`\`${preset}\` `)) as PermissionMode;
    const isUnasked = (cell: string) => cell.startsWith("runs unasked");
    expect(isUnasked(full), first).toBe(allows(mode, judged("execute", { isSandboxed: true })));
    for (const cell of [partial, none]) expect(isUnasked(cell), first).toBe(allows(mode, judged("execute", {})));
  }
});
