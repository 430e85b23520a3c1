import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../agent/test/support/tools.ts";
import {
  eventually,
  hasProc,
  processesWith,
  uniqueSleep,
} from "../../../exec/test/support/processes/living-processes.ts";
import { createTool } from "../../src/tools/define-tool.ts";
import type { GrepArguments } from "../../src/tools/grep/ripgrep-arguments.ts";
import { grepTool } from "../../src/tools/grep.ts";
import { openToolSession, type ToolSession } from "../support/tools/tool-session.ts";

let session: ToolSession;

beforeEach(() => {
  session = openToolSession();
});

afterEach(() => session.close());

function grep(pattern: string, args: Omit<GrepArguments, "pattern"> = {}, call = {}) {
  return session.call(grepTool, { pattern, ...args }, call);
}

async function found(pattern: string, args: Omit<GrepArguments, "pattern"> = {}): Promise<string[]> {
  return textOf(await grep(pattern, args)).split("\n");
}

async function reopen(options: Parameters<typeof openToolSession>[0]) {
  await session.close();
  session = openToolSession(options);
}

function numbered(count: number, line = (index: number) => `line ${index}`): string {
  return Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join("");
}

describe("what is searched", () => {
  test("hidden files too, but nothing that is ignored, binary, a link or in .git", async () => {
    session.write({
      ".gitignore": "*.log\nbuild/\n",
      ".env": "needle\n",
      ".github/ci.yml": "needle\n",
      ".git/config": "needle\n",
      "a.log": "needle\n",
      "build/out.js": "needle\n",
      "src/a.ts": "needle\n",
      "src.ts": "needle\n",
      "picture.bin": Buffer.from("needle\n\0\n"),
      "late.bin": Buffer.concat([Buffer.from(`needle\n${numbered(30_000)}`), Buffer.from([0])]),
    });
    symlinkSync(join(session.cwd, "src/a.ts"), join(session.cwd, "link.ts"));
    expect(await found("needle")).toEqual([
      ".env:1: needle",
      ".github/ci.yml:1: needle",
      "src/a.ts:1: needle",
      "src.ts:1: needle",
      "",
      "[Matches in binary files are not shown.]",
    ]);
  });

  test.each<[string, Omit<GrepArguments, "pattern">, string[]]>([
    ["a directory", { path: "src" }, ["src/a.ts", "src/deep/b.ts", "src/deep/b.tsx"]],
    ["a file", { path: "@src/a.ts" }, ["src/a.ts"]],
    ["a file that is ignored, when it is named", { path: "x.log" }, ["x.log"]],
    ["a directory that is ignored, when it is named", { path: "build" }, ["build/out.ts"]],
    ["names at any depth", { glob: "*.tsx" }, ["src/deep/b.tsx"]],
    ["names of several kinds", { glob: "*.{tsx,md}" }, ["README.md", "src/deep/b.tsx"]],
    ["a glob with a path", { glob: "src/*.ts" }, ["src/a.ts"]],
    ["a glob over directories", { glob: "**/deep/**" }, ["src/deep/b.ts", "src/deep/b.tsx"]],
    ["a glob with slashes in braces", { glob: "{src/a,src/deep/b}.ts" }, ["src/a.ts", "src/deep/b.ts"]],
    ["a glob from the path", { path: "src", glob: "deep/*.ts" }, ["src/deep/b.ts"]],
    ["a glob from the session's directory", { path: "src", glob: "src/deep/*.ts" }, ["src/deep/b.ts"]],
    ["all but a glob", { glob: "!*.ts" }, ["README.md", "src/deep/b.tsx"]],
    ["a type", { type: "md" }, ["README.md"]],
    ["a type and a glob, both", { type: "ts", glob: "*.tsx" }, ["src/deep/b.tsx"]],
    ["a type and a glob that exclude each other", { type: "md", glob: "*.tsx" }, []],
    ["a glob that only ignored files have", { glob: "*.log" }, []],
  ])("%s", async (_, args, paths) => {
    session.write({
      ".gitignore": "*.log\nbuild/\n",
      "README.md": "needle",
      "x.log": "needle",
      "build/out.ts": "needle",
      "src/a.ts": "needle",
      "src/deep/b.ts": "needle",
      "src/deep/b.tsx": "needle",
    });
    const lines = paths.length > 0 ? paths.map((path) => `${path}:1: needle`) : ["No matches found."];
    expect(await found("needle", args)).toEqual(lines);
  });

  test("a path outside is absolute", async () => {
    const outside = join(session.spills, "x.txt");
    writeFileSync(outside, "needle");
    expect(await found("needle", { path: outside })).toEqual([`${outside}:1: needle`]);
  });

  test("does not depend on ripgrep's environment variables", async () => {
    const config = join(session.spills, "ripgreprc");
    writeFileSync(config, "--ignore-case\n--max-count=1\n");
    await reopen({ environment: { ...process.env, RIPGREP_CONFIG_PATH: config } });
    session.write({ "a.txt": "needle\nneedle\nNEEDLE\n" });
    expect(await found("needle")).toEqual(["a.txt:1: needle", "a.txt:2: needle"]);
  });
});

describe("patterns", () => {
  test.each<[string, string, Omit<GrepArguments, "pattern">, string[]]>([
    ["is a regular expression", "^a.c$", {}, ["1: abc"]],
    ["is a text when literal", "a.c", { literal: true }, ["2: x a.c -v"]],
    ["may ignore case", "ABC", { ignoreCase: true }, ["1: abc"]],
    ["may begin with a dash", "-v$", {}, ["2: x a.c -v"]],
    ["may look like an option", "--version", {}, ["3: --version"]],
    ["may look around", "(?<=x )a", {}, ["2: x a.c -v"]],
    ["with an escaped line break spans lines", "abc\\nx", {}, ["1: abc", "2: x a.c -v"]],
    ["with a line break spans lines, also literal", "c\nx a.c", { literal: true }, ["1: abc", "2: x a.c -v"]],
    ["may span lines with dots", "abc.*?-v", { multiline: true }, ["1: abc", "2: x a.c -v"]],
    ["finds the end of a line of Windows", "windows$", {}, ["4: windows"]],
  ])("%s", async (_, pattern, args, lines) => {
    session.write({ f: "abc\nx a.c -v\n--version\nwindows\r\n" });
    expect(await found(pattern, args)).toEqual(lines.map((line) => `f:${line}`));
  });

  test.each<[string, string, Omit<GrepArguments, "pattern">, string]>([
    [
      "no regular expression",
      "a(b",
      {},
      "Invalid regular expression: unclosed group. To search for literal text, set literal to true.",
    ],
    [
      "no regular expression for PCRE2 either",
      "(?<=a",
      {},
      "Invalid regular expression: at offset 9: missing closing parenthesis. To search for literal text, set literal to true.",
    ],
    ["an empty pattern", "", {}, "The pattern is empty."],
    ["NUL", "a\0", {}, "The pattern contains a NUL character, which no text file has."],
    ["a path that is missing", "a", { path: "no/where" }, "Path not found: no/where"],
    ["no file or directory", "a", { path: "/dev/null" }, "Not a file or directory: /dev/null"],
    ["an unknown type", "a", { type: "klingon" }, "unrecognized file type: klingon. Use glob instead."],
  ])("%s is an error", async (_, pattern, args, message) => {
    expect(grep(pattern, args)).rejects.toThrow(new Error(message));
  });

  test("an invalid glob is an error", async () => {
    expect(grep("a", { glob: "*.{ts" })).rejects.toThrow(/^Invalid glob .*unclosed alternate group/);
  });
});

describe("pages", () => {
  test("end at the limit and say how to continue", async () => {
    session.write({ "a.txt": numbered(3), "b.txt": numbered(3) });
    const result = await grep("line", { limit: 4 });
    expect(textOf(result)).toBe(
      "a.txt:1: line 1\na.txt:2: line 2\na.txt:3: line 3\nb.txt:1: line 1\n\n" +
        "[The first 4 of 6 matches in 2 files are shown. Continue with offset=4, or narrow pattern, path or glob.]",
    );
    expect(result.details).toEqual({ matchLimitReached: 4 });
  });

  test("that end exactly with the last match add no note", async () => {
    session.write({ "a.txt": numbered(4) });
    const result = await grep("line", { limit: 4 });
    expect([textOf(result).split("\n").length, result.details]).toEqual([4, {}]);
  });

  test("together contain everything once, in path order", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`d${i % 7}/f${i}.txt`, numbered(1 + (i % 5))]),
    );
    session.write(files);
    const all = await found("line", { limit: 1000 });
    const pages: string[] = [];
    for (let offset = 0; offset < all.length; offset += 7) {
      pages.push(...(await found("line", { limit: 7, offset })).filter((line) => line.includes(":")));
    }
    expect(pages).toEqual(all);
    expect(all).toEqual([...all].sort(byPathAndLine));
  });

  test("do not count matches in binary files", async () => {
    const late = Buffer.concat([Buffer.from(`needle\nneedle\n${numbered(30_000)}`), Buffer.from([0])]);
    session.write({ "a.bin": late, "b.txt": "needle\nneedle\n" });
    const result = await grep("needle", { limit: 2 });
    expect(textOf(result)).toBe("b.txt:1: needle\nb.txt:2: needle\n\n[Matches in binary files are not shown.]");
    expect(result.details).toEqual({});
  });

  test("past the end report it", async () => {
    session.write({ "a.txt": numbered(3) });
    expect(await found("line", { offset: 10 })).toEqual(["No matches after the first 3."]);
  });

  test("of context show it around each match, and nothing of the next page", async () => {
    session.write({ "a.txt": numbered(12), "b.txt": "x\nline 5\n" });
    expect(await found("line (2|5|11|12)$", { context: 1, limit: 3 })).toEqual([
      "a.txt-1- line 1",
      "a.txt:2: line 2",
      "a.txt-3- line 3",
      "a.txt-4- line 4",
      "a.txt:5: line 5",
      "a.txt-6- line 6",
      "--",
      "a.txt-10- line 10",
      "a.txt:11: line 11",
      "",
      "[The first 3 of 5 matches in 2 files are shown. Continue with offset=3, or narrow pattern, path or glob.]",
    ]);
    expect(await found("line (2|5|11|12)$", { context: 1, offset: 2 })).toEqual([
      "a.txt-10- line 10",
      "a.txt:11: line 11",
      "a.txt:12: line 12",
      "--",
      "b.txt-1- x",
      "b.txt:2: line 5",
    ]);
  });

  test.each([
    ["lines", { "tools.maxOutputLines": 5 }, 5],
    ["bytes", { "tools.maxOutputBytes": 1024 }, 1024 / 16],
  ])("end where the output has too many %s, and the next begins there", async (truncatedBy, settings, matches) => {
    await reopen({ settings });
    session.write({ "a.txt": numbered(100, (index) => String(index).padStart(6, "0")) });
    const result = await grep("0", { limit: 1000 });
    const lines = textOf(result).split("\n");
    expect(lines.slice(-2)).toEqual([
      "",
      `[The first ${lines.length - 2} of 100 matches in 1 file are shown, up to the output limit. Continue with offset=${lines.length - 2}, or narrow pattern, path or glob.]`,
    ]);
    expect(lines.length - 2).toBeLessThanOrEqual(matches);
    expect(result.details).toMatchObject({
      truncation: { truncated: true, truncatedBy, outputLines: lines.length - 2 },
    });
    expect((await found("0", { limit: 1, offset: lines.length - 2 }))[0]).toStartWith(`a.txt:${lines.length - 1}:`);
  });

  test("show at least one match, however small the limit", async () => {
    await reopen({ settings: { "tools.maxOutputBytes": 1024 } });
    session.write({ "a.txt": `${"€".repeat(490)}\n${"€".repeat(490)}\n` });
    const text = textOf(await grep("€"));
    expect(text).toStartWith("a.txt:1: €€€");
    expect(text).toContain("Continue with offset=1");
    expect(Buffer.byteLength(text.split("\n")[0]!)).toBeLessThanOrEqual(1024);
  });
});

describe("output", () => {
  test("files names each file with matches once", async () => {
    session.write({ "b.txt": numbered(3), "a.txt": numbered(2), "c.txt": "other\n" });
    expect(await found("line", { output: "files" })).toEqual(["a.txt", "b.txt"]);
    expect(await found("absent", { output: "files" })).toEqual(["No matches found."]);
  });

  test("count returns how many lines match in each file and in total", async () => {
    session.write({ "b.txt": numbered(3), "a.txt": numbered(2), "new\nline": numbered(1) });
    expect(await found("line", { output: "count", glob: "*.txt" })).toEqual([
      "a.txt: 2",
      "b.txt: 3",
      "",
      "[5 matches in 2 files.]",
    ]);
  });

  test("has pages", async () => {
    session.write(Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`f${i}`, "x\n"])));
    const result = await grep("x", { output: "files", limit: 2, offset: 2 });
    expect(textOf(result)).toBe(
      "f2\nf3\n\n[2 of 5 files are shown. Continue with offset=4, or narrow pattern, path or glob.]",
    );
    expect(result.details).toEqual({ matchLimitReached: 2 });
  });

  test("refuses an invalid regular expression", async () => {
    session.write({ "a.txt": "a\n" });
    expect(grep("(", { output: "count" })).rejects.toThrow(/^Invalid regular expression/);
  });
});

describe("the shown part of a line", () => {
  test("is the part around the match when it is long", async () => {
    session.write({ "min.js": `${"a".repeat(3000)}needle${"b".repeat(3000)}\n` });
    const result = await grep("needle");
    expect(textOf(result)).toBe(
      `min.js:1: …${"a".repeat(100)}needle${"b".repeat(394)}…\n\n[Lines longer than 500 characters are truncated.]`,
    );
    expect(result.details).toEqual({ linesTruncated: true });
  });

  test("is the beginning of one that is as long as a file", async () => {
    session.write({ "data.json": `first\n"${"\\u00e9 \\\\ ".repeat(500_000)}needle\n` });
    const result = await grep("needle", { context: 1 });
    const [before, match] = textOf(result).split("\n");
    expect(before).toBe("data.json-1- first");
    expect(match).toStartWith('data.json:2: "\\u00e9 \\\\ \\u00e9');
    expect(match?.length).toBeLessThan(550);
    expect(result.details).toEqual({ linesTruncated: true });
  });

  test("has the right number even if each of its many matches is reported", async () => {
    session.write({ "min.js": `\n\n${"e;".repeat(600_000)}\n\n${"e,".repeat(600_000)}\n` });
    const [first, second] = await found("e");
    expect(first).toStartWith("min.js:3: e;e;");
    expect(second).toStartWith("min.js:5: e,e,");
  });

  test("has no control characters, and names stay on one line", async () => {
    session.write({ "new\nline\x1b[31m": "a\x1b[31mneedle\x1b[0m\x07\tb\r\n" });
    expect(await found("needle")).toEqual(["new\\nline\\x1b[31m:1: aneedle\tb"]);
  });

  test("may be in an unknown encoding", async () => {
    session.write({ "latin1.txt": Buffer.from("caf\xe9 needle\n", "latin1") });
    if (process.platform === "linux") {
      writeFileSync(Buffer.concat([Buffer.from(`${session.cwd}/z`), Buffer.from([0xff])]), "needle\n");
    }
    const expected = ["latin1.txt:1: caf\ufffd needle", "z\ufffd:1: needle"];
    expect(await found("needle")).toEqual(process.platform === "linux" ? expected : expected.slice(0, 1));
  });

  test("of a match over many lines is its beginning", async () => {
    session.write({ "a.txt": numbered(80) });
    const lines = await found("line 1\n.*line 80", { multiline: true });
    expect(lines.slice(-2)).toEqual(["a.txt:50: line 50", "a.txt:51: … (30 more lines of this match)"]);
  });
});

test("counts unreadable paths", async () => {
  session.write({ "a.txt": "needle\n", "secret.txt": "needle\n" });
  mkdirSync(join(session.cwd, "locked"));
  chmodSync(join(session.cwd, "locked"), 0);
  chmodSync(join(session.cwd, "secret.txt"), 0);
  const isRoot = process.getuid?.() === 0; // who may read everything
  const expected = isRoot
    ? ["a.txt:1: needle", "secret.txt:1: needle"]
    : ["a.txt:1: needle", "", "[2 paths could not be read.]"];
  expect(await found("needle")).toEqual(expected);
  chmodSync(join(session.cwd, "locked"), 0o700);
});

test("an abort ends a search that would not end by itself", async () => {
  const bin = join(session.spills, "bin");
  const sleep = uniqueSleep();
  mkdirSync(bin);
  const script = `#!/bin/sh\ncase "$*" in *--version*) echo 'ripgrep 15.0.0';; *) ${sleep};; esac\n`;
  writeFileSync(join(bin, "rg"), script, { mode: 0o755 });
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const slow = openToolSession({ settings: { "search.preferSystem": true }, environment });
  const stop = new AbortController();
  const call = slow.call(grepTool, { pattern: "a" }, { signal: stop.signal });
  if (hasProc) expect(await eventually(() => processesWith(sleep).length > 0)).toBe(true);
  stop.abort();
  expect(call).rejects.toBe(stop.signal.reason);
  await call.catch(() => {});
  if (hasProc) expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
  await slow.close();
});

test("an aborted call starts nothing", async () => {
  const signal = AbortSignal.abort();
  expect(grep("a", {}, { signal })).rejects.toBe(signal.reason);
  await Bun.sleep(0);
  expect(session.processRunner.groupCount).toBe(0);
});

test("the schema keeps numbers in bounds", () => {
  const { properties } = createTool(grepTool, session.context).parameters;
  expect(
    [properties.limit, properties.offset, properties.context].map((schema) => (schema as { minimum?: number }).minimum),
  ).toEqual([1, 0, 0]);
});

function byPathAndLine(a: string, b: string): number {
  const [pathA, lineA] = a.split(":") as [string, string];
  const [pathB, lineB] = b.split(":") as [string, string];
  return pathA < pathB ? -1 : pathA > pathB ? 1 : Number(lineA) - Number(lineB);
}
