import { afterEach, beforeEach, expect, test } from "bun:test";
import { loadAstEngine } from "../../../../exec/src/native/ast-engine.ts";
import { Languages } from "../../../src/tools/ast/languages.ts";
import { type ScannedFile, type ScanRequest, scanFiles } from "../../../src/tools/ast/scan.ts";
import { resolveScope } from "../../../src/tools/ast/scope.ts";
import { AstWorkspace } from "../../support/tools/ast/ast-workspace.ts";

let at: AstWorkspace;

beforeEach(() => {
  // The first files take longest to parse.
  const files = Array.from({ length: 12 }, (_, index) => {
    return [`f${String(index).padStart(2, "0")}.ts`, `hit(${index})\n${"f(1);\n".repeat((12 - index) * 500)}`];
  });
  at = new AstWorkspace(Object.fromEntries(files));
});

afterEach(() => at[Symbol.asyncDispose]());

function scan(take: (file: ScannedFile) => boolean, options: Partial<ScanRequest> = {}) {
  const engine = loadAstEngine();
  const request: ScanRequest = {
    engine,
    languages: new Languages(engine.parsers),
    scope: resolveScope({}, at.directory),
    patterns: ["hit($A)"],
    skipsBroken: false,
    signal: new AbortController().signal,
    ...options,
  };
  return scanFiles(at.context, request, take);
}

/** The engine, counting what it parses. The first four parses wait for each other, however slowly files are read. */
function countingEngine() {
  const fourAtWork = Promise.withResolvers<void>();
  const engine = loadAstEngine();
  const parses = { now: 0, most: 0, all: 0 };
  const parseAsync: typeof engine.parseAsync = async (...args) => {
    parses.all += 1;
    parses.now += 1;
    parses.most = Math.max(parses.most, parses.now);
    if (parses.now === 4) fourAtWork.resolve();
    await fourAtWork.promise;
    const root = await engine.parseAsync(...args);
    parses.now -= 1;
    return root as never;
  };
  return { engine: { ...engine, parseAsync }, parses };
}

test("files come in path order, four are parsed at a time", async () => {
  const { engine, parses } = countingEngine();
  const seen: string[] = [];
  const end = await scan(({ shown }) => seen.push(shown) > 0, { engine });
  expect(seen).toHaveLength(12);
  expect(seen).toEqual([...seen].sort());
  expect(end.filesSearched).toBe(12);
  expect(parses).toEqual({ now: 0, most: 4, all: 12 });
});

test("it ends when there is enough, and leaves nothing running", async () => {
  const { engine, parses } = countingEngine();
  const seen: string[] = [];
  const end = await scan(({ shown }) => seen.push(shown) < 2, { engine });
  expect(seen).toEqual(["f00.ts", "f01.ts"]);
  expect(end.filesSearched).toBe(2);
  expect(parses.now).toBe(0);
});

test("it ends when the time is over, and says so", async () => {
  let files = 0;
  const end = await scan(
    () => {
      files += 1;
      Bun.sleepSync(60);
      return true;
    },
    { budget: 50 },
  );
  expect(end.hasTimedOut).toBe(true);
  expect(end.filesSearched).toBe(files);
  expect(files).toBeLessThan(12);
});

test("an abort is noticed between two files", async () => {
  const controller = new AbortController();
  const seen: string[] = [];
  const scanning = scan(
    ({ shown }) => {
      seen.push(shown);
      controller.abort(new Error("enough"));
      return true;
    },
    { signal: controller.signal },
  );
  await expect(scanning).rejects.toThrow("enough");
  expect(seen).toEqual(["f00.ts"]);
});

test("an error of the visitor is thrown", async () => {
  const failure = new Error("overlap");
  const scanning = scan(
    () => {
      throw failure;
    },
    { budget: 60_000 },
  );
  await expect(scanning).rejects.toBe(failure);
});
