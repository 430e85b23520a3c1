import { afterEach, beforeEach, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { listFiles } from "../../../src/tools/search/list-files.ts";
import { openToolSession, type ToolSession } from "../../support/tools/tool-session.ts";

let session: ToolSession;
const { signal } = new AbortController();

beforeEach(() => {
  session = openToolSession();
});

afterEach(() => session.close());

async function list(options: Partial<Parameters<typeof listFiles>[1]> = {}) {
  const listing = await listFiles(session.context, { roots: [session.cwd], limit: 100, signal, ...options });
  const paths = listing.paths.map((path) => path.slice(session.cwd.length + 1));
  return { ...listing, paths };
}

const complete = { isCut: false, hasTimedOut: false, unreadable: 0, unnameable: 0 };

test("returns files in path order, without .git, links and ignored files", async () => {
  session.write({
    ".gitignore": "*.log",
    "b.ts": "",
    "a/z.ts": "",
    "a.ts": "",
    "x.log": "",
    ".git/HEAD": "",
    ".env": "",
  });
  symlinkSync(join(session.cwd, "b.ts"), join(session.cwd, "link.ts"));
  expect(await list()).toEqual({ ...complete, paths: [".env", ".gitignore", "a/z.ts", "a.ts", "b.ts"] });
});

test("leaves out node_modules on request, unless it is named", async () => {
  session.write({ "a.js": "", "node_modules/m/index.js": "", "sub/node_modules/n.js": "" });
  expect((await list()).paths).toEqual(["a.js", "node_modules/m/index.js", "sub/node_modules/n.js"]);
  expect((await list({ skipsNodeModules: true })).paths).toEqual(["a.js"]);
  const roots = [join(session.cwd, "node_modules")];
  expect((await list({ skipsNodeModules: true, roots })).paths).toEqual(["node_modules/m/index.js"]);
});

test("returns each file once, even if one root is inside another", async () => {
  session.write({ "src/a.ts": "", "src/b.ts": "", "c.ts": "" });
  const roots = ["src/b.ts", "src", "c.ts", "src/b.ts"].map((path) => join(session.cwd, path));
  expect(await list({ roots, limit: 3 })).toEqual({ ...complete, paths: ["c.ts", "src/a.ts", "src/b.ts"] });
});

test("includes named files that are ignored", async () => {
  session.write({ ".gitignore": "*.log\nout/", "x.log": "", "out/y.ts": "" });
  const roots = ["x.log", "out"].map((path) => join(session.cwd, path));
  expect((await list({ roots })).paths).toEqual(["out/y.ts", "x.log"]);
});

test("counts only accepted files", async () => {
  session.write({ "a.md": "", "b.ts": "", "c.md": "", "d.ts": "" });
  expect(await list({ limit: 2, accepts: (path) => path.endsWith(".ts") })).toEqual({
    ...complete,
    paths: ["b.ts", "d.ts"],
  });
});

test("of too many gives the first in path order", async () => {
  session.write(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`d${index % 6}/f${index}`, ""])));
  const all = (await list()).paths;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 70 }), async (limit) => {
      expect(await list({ limit })).toEqual({ ...complete, isCut: limit < 60, paths: all.slice(0, limit) });
    }),
    { numRuns: 10 },
  );
});

test("reports a missing root as unreadable", async () => {
  session.write({ a: "" });
  const roots = [session.cwd, join(session.cwd, "gone")];
  expect(await list({ roots })).toEqual({ ...complete, unreadable: 1, paths: ["a"] });
});

test("a broken .gitignore is not reported", async () => {
  session.write({ ".gitignore": "[\n{a\n", a: "" });
  expect(await list()).toEqual({ ...complete, paths: [".gitignore", "a"] });
});

test("no process and no descriptor is left", async () => {
  session.write({ a: "" });
  await list();
  await session.processRunner.killAll("session_change", 0);
  expect(session.processRunner.groupCount).toBe(0);
});
