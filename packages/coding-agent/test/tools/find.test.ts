import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../agent/test/support/tools.ts";
import { childrenOf, eventually, hasProc } from "../../../exec/test/support/processes/living-processes.ts";
import type { FindArguments } from "../../src/tools/execute-find.ts";
import { findTool } from "../../src/tools/find.ts";
import { openToolSession, type ToolSession } from "../support/tools/tool-session.ts";

let session: ToolSession;

beforeEach(() => {
  session = openToolSession();
});

afterEach(() => session.close());

function find(pattern: string, args: Omit<FindArguments, "pattern"> = {}, call = {}) {
  return session.call(findTool, { pattern, ...args }, call);
}

async function found(pattern: string, args: Omit<FindArguments, "pattern"> = {}): Promise<string[]> {
  return textOf(await find(pattern, args)).split("\n");
}

/** Creates files with ages such that they are listed in this order. */
function writeNewestFirst(paths: readonly string[]) {
  session.write(Object.fromEntries(paths.map((path) => [path, ""])));
  for (const [age, path] of paths.entries()) {
    const time = new Date(Date.UTC(2020, 0, 1) - age * 1000);
    utimesSync(join(session.cwd, path), time, time);
  }
}

const FILES = ["a.ts", "src/a.ts", "src/deep/b.test.ts", "src/.hidden.ts", "test/a.js", "src.d/x.ts", ".github/ci.yml"];

describe("a pattern", () => {
  test.each<[string, string, Omit<FindArguments, "pattern">, string[]]>([
    ["without a slash is about names at any depth", "a.*", {}, ["a.ts", "src/a.ts", "test/a.js"]],
    ["with ** also matches at the top", "**/a.ts", {}, ["a.ts", "src/a.ts"]],
    ["with a path begins at the directory", "src/**/*.ts", {}, ["src/", " a.ts", " .hidden.ts", "src/deep/b.test.ts"]],
    ["with one star stays in one directory", "src/*.ts", {}, ["src/", " a.ts", " .hidden.ts"]],
    ["may begin with ./", "./src/a.ts", {}, ["src/a.ts"]],
    ["may be about what is below a path", "deep/*", { path: "src" }, ["src/deep/b.test.ts"]],
    ["may repeat the path", "src/deep/*", { path: "src" }, ["src/deep/b.test.ts"]],
    ["may have alternatives", "*.{js,yml}", {}, ["test/a.js", ".github/ci.yml"]],
    ["may have alternatives with slashes", "{src,test}/a.*", {}, ["src/a.ts", "test/a.js"]],
    ["may have stars in odd places", "**.test.*", {}, ["src/deep/b.test.ts"]],
    ["may leave something out", "!*.ts", {}, ["test/a.js", ".github/ci.yml"]],
    ["may have sets of characters", "[!b].{ts,js}", {}, ["a.ts", "src/a.ts", "test/a.js", "src.d/x.ts"]],
    ["finds hidden files", ".*", {}, ["src/.hidden.ts"]],
    ["finds no directories", "deep", {}, ["No files found."]],
    ["with a slash at the end finds directories", "d*/", {}, ["src/deep/"]],
    ["with slashes and one at the end too", "**/t*/", {}, ["test/"]],
    ["may match nothing", "*.py", {}, ["No files found."]],
  ])("%s", async (_, pattern, args, paths) => {
    writeNewestFirst(FILES);
    expect(await found(pattern, args)).toEqual(paths);
  });

  test("may be absolute", async () => {
    writeNewestFirst(FILES);
    expect(await found(`${session.cwd}/src/**/*.test.ts`)).toEqual(["src/deep/b.test.ts"]);
    expect(await found(`${session.cwd}/src/a.ts`)).toEqual(["src/a.ts"]);
    expect(await found("/no/such/place/*.ts").catch((error: Error) => error.message)).toBe(
      "Path not found: /no/such/place",
    );
  });

  test.each<[string, string, Omit<FindArguments, "pattern">, string]>([
    ["an empty pattern", " ", {}, "The pattern is empty."],
    [
      "a glob that is none",
      "*.{ts",
      {},
      "Invalid glob '*.{ts': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
    ],
    ["a path that is missing", "*", { path: "no/where" }, "Path not found: no/where"],
    ["a file for a directory", "*", { path: "a.ts" }, "Not a directory: a.ts"],
  ])("%s is an error", async (_, pattern, args, message) => {
    writeNewestFirst(FILES);
    expect(find(pattern, args)).rejects.toThrow(new Error(message));
  });
});

test("finds nothing that is ignored, in .git or a link", async () => {
  session.write({
    ".gitignore": "*.log\nout/\n",
    "a.log": "",
    "out/b": "",
    ".git/config": "",
    "sub/.git": "",
    "sub/c": "",
  });
  symlinkSync(join(session.cwd, "sub/c"), join(session.cwd, "link"));
  symlinkSync(join(session.cwd, "sub"), join(session.cwd, "linked"));
  expect((await found("*")).sort()).toEqual([".gitignore", "sub/c"]);
  expect(await found("*", { path: "out" })).toEqual(["out/b"]);
});

describe("too many", () => {
  test("are cut in path order and the result says so", async () => {
    writeNewestFirst(["z", "b/2", "b/1", "b.txt", "a"]);
    const result = await find("*", { limit: 3 });
    expect(textOf(result)).toBe(
      "a\nb/\n 1\n 2\n\n[The first 3 of 5 in path order are shown. Narrow pattern or path, or raise limit.]",
    );
    expect(result.details).toEqual({ resultLimitReached: 3 });
  });

  test("are not reported if they just fit", async () => {
    writeNewestFirst(["z", "b/2", "b/1", "b.txt", "a"]);
    const result = await find("*", { limit: 5 });
    expect([textOf(result), result.details]).toEqual(["z\nb.txt\na\nb/\n 2\n 1", {}]);
  });

  test("for the output are cut at a whole path", async () => {
    await session.close();
    session = openToolSession({ settings: { "tools.maxOutputLines": 2 } });
    writeNewestFirst(["z", "y", "x"]);
    const result = await find("*");
    expect(textOf(result)).toBe("z\ny\n\n[The output limit was reached: 2 of 3 paths are shown.]");
    expect(result.details).toMatchObject({ truncation: { truncatedBy: "lines", totalLines: 3, outputLines: 2 } });
  });

  test("are counted without lines that name a directory", async () => {
    await session.close();
    session = openToolSession({ settings: { "tools.maxOutputLines": 3 } });
    writeNewestFirst(["d/z", "d/y", "d/x"]);
    expect(textOf(await find("*"))).toBe("d/\n z\n y\n\n[The output limit was reached: 2 of 3 paths are shown.]");
  });
});

describe("names", () => {
  test("stay on one line", async () => {
    session.write({ "new\nline\x1b[31m": "" });
    expect(await found("*line*")).toEqual(["new\\nline\\x1b[31m"]);
  });

  test("that are not UTF-8 are counted", async () => {
    if (process.platform !== "linux") return;
    session.write({ "good.ts": "" });
    for (const name of ["bad\xff.ts", "bad\xfe.js"]) {
      writeFileSync(Buffer.concat([Buffer.from(`${session.cwd}/`), Buffer.from(name, "latin1")]), "");
    }
    expect(await found("*.ts")).toEqual(["good.ts", "", "[Files omitted because their names are not UTF-8: 1.]"]);
  });
});

test("an abort ends the call and leaves no process", async () => {
  const stop = new AbortController();
  const call = find("**/*", { path: "/" }, { signal: stop.signal });
  expect(await eventually(() => session.processRunner.groupCount > 0)).toBe(true);
  stop.abort();
  expect(call).rejects.toBe(stop.signal.reason);
  await call.catch(() => {});
  if (hasProc) expect(await eventually(() => childrenOf().length === 0)).toBe(true);
});
