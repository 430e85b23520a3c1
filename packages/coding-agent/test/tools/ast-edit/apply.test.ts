import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { openScan } from "../../../src/tools/ast/scan.ts";
import { applyPreview } from "../../../src/tools/ast-edit/apply.ts";
import { checkOperations, type EditRequest, planEdits } from "../../../src/tools/ast-edit/plan.ts";
import { Preview } from "../../../src/tools/ast-edit/preview.ts";
import { filesInMutation, withFileMutationQueue } from "../../../src/tools/shared/file-mutations.ts";
import { AstWorkspace } from "../../support/tools/ast/ast-workspace.ts";

const OPS = [{ pat: "old($A)", out: "fresh($A)" }];
const FILES = { "src/a.ts": "old(1);\n", "src/b.ts": "old(2);\nold(3);\n", "src/c.ts": "other();\n" };

let at: AstWorkspace;

beforeEach(() => {
  at = new AstWorkspace(FILES);
});

afterEach(async () => {
  expect(filesInMutation()).toBe(0);
  await at[Symbol.asyncDispose]();
});

const contents = () => ["src/a.ts", "src/b.ts"].map((name) => at.read(name));

function stale(count: string, names: string): string {
  return `Preview is stale: ${count} changed since the preview (${names}). Nothing was applied. Run ast_edit again.`;
}

describe("done", () => {
  test("reports what it did", async () => {
    const preview = await at.edit({ ops: OPS });
    expect(await at.apply()).toEqual({
      text: "Applied 3 replacements in 2 files.",
      isError: false,
      details: { ...preview.details, applied: true },
    });
    expect(contents()).toEqual(["fresh(1);\n", "fresh(2);\nfresh(3);\n"]);
    expect(at.read("src/c.ts")).toBe("other();\n");
  });

  test("uses the singular correctly", async () => {
    expect(await at.change({ ops: OPS, path: "src/a.ts" })).toBe("Applied 1 replacement in 1 file.");
  });

  test("modes stay, and a link changes its target", async () => {
    chmodSync(at.path("src/a.ts"), 0o751);
    symlinkSync(at.path("src/a.ts"), at.path("link.ts"));
    await at.change({ ops: OPS, path: "link.ts" });
    expect(at.read("src/a.ts")).toBe("fresh(1);\n");
    expect(at.read("link.ts")).toBe("fresh(1);\n");
    expect(statSync(at.path("src/a.ts")).mode & 0o777).toBe(0o751);
  });

  test("waits for other work on one of the files", async () => {
    await at.edit({ ops: OPS });
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const other = withFileMutationQueue(at.path("src/b.ts"), () => finished);
    const applied = at.apply();
    // Longer than it would take without waiting.
    for (let round = 0; round < 3; round += 1) await at.edit({ ops: [{ pat: "missing($A)", out: "$A" }] });
    expect(contents()).toEqual([FILES["src/a.ts"], FILES["src/b.ts"]]);
    finish();
    await other;
    expect((await applied).isError).toBe(false);
  });

  test("an abort after the preview has no effect", async () => {
    const controller = new AbortController();
    await at.edit({ ops: OPS }, controller.signal);
    controller.abort();
    expect((await at.apply()).isError).toBe(false);
  });
});

describe("stale", () => {
  const cases: [name: string, change: () => void, text: string][] = [
    ["another content", () => at.write({ "src/a.ts": "old(1); \n" }), stale("1 file", "src/a.ts")],
    ["another content of the same size", () => at.write({ "src/a.ts": "old(9);\n" }), stale("1 file", "src/a.ts")],
    ["a file deleted", () => unlinkSync(at.path("src/b.ts")), stale("1 file", "src/b.ts")],
    ["a file that matches no more", () => at.write({ "src/b.ts": "other()\n" }), stale("1 file", "src/b.ts")],
    ["a file that does not parse any more", () => at.write({ "src/b.ts": "old(2); (((" }), stale("1 file", "src/b.ts")],
    ["a new file", () => at.write({ "src/aa.ts": "old(4)\n" }), stale("1 file", "src/aa.ts")],
    ["a file that matches now", () => at.write({ "src/c.ts": "old(4)\n" }), stale("1 file", "src/c.ts")],
    ["everything deleted", () => rmSync(at.path("src"), { recursive: true }), stale("2 files", "src/a.ts, src/b.ts")],
  ];

  test.each(cases)("%s", async (_name, change, text) => {
    await at.edit({ ops: OPS, path: "src" });
    change();
    const before = existing();
    const result = await at.apply();
    expect(result).toMatchObject({ text, isError: true });
    expect(existing()).toEqual(before);
  });

  function existing(): string[] {
    const names = ["a", "aa", "b", "c"].map((name) => at.path(`src/${name}.ts`));
    return names
      .filter((path) => statSync(path, { throwIfNoEntry: false }))
      .map((path) => at.read(path.slice(at.directory.length + 1)));
  }

  test("at most five files are named", async () => {
    const files = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`m${index}.ts`, "old(1)\n"]));
    at.write(files);
    await at.edit({ ops: OPS, glob: "m*.ts" });
    for (const name of Object.keys(files)) at.write({ [name]: "old(2)\n" });
    expect((await at.apply()).text).toBe(stale("7 files", "m0.ts, m1.ts, m2.ts, m3.ts, m4.ts, …"));
  });

  test("new times and new files that do not match are nothing", async () => {
    await at.edit({ ops: OPS });
    utimesSync(at.path("src/a.ts"), 1, 1);
    at.write({ "src/d.ts": "other()\n", "README.md": "old(1)\n" });
    expect((await at.apply()).isError).toBe(false);
  });

  test("with two previews of one file, the applied one makes the other stale", async () => {
    await at.edit({ ops: OPS });
    await at.edit({ ops: [{ pat: "old($A)", out: "newest($A)" }], path: "src/a.ts" });
    expect((await at.apply()).text).toBe("Applied 1 replacement in 1 file.");
    expect(await at.apply()).toMatchObject({ isError: true, text: stale("1 file", "src/a.ts") });
    expect(contents()).toEqual(["newest(1);\n", FILES["src/b.ts"]]);
  });
});

describe("a write that fails", () => {
  /** A directory whose files can be opened, but in which no file with a longer name can be created. */
  function deepDirectory(): string {
    const longest = process.platform === "darwin" ? 1024 : 4096;
    const room = longest - at.directory.length - "/a.ts".length - 30;
    const names = Array.from({ length: Math.floor(room / 201) }, () => "z".repeat(200));
    names.push("z".repeat(Math.max(1, room - names.length * 201 - 1)));
    const path = names.join("/");
    mkdirSync(at.path(path), { recursive: true });
    return path;
  }

  test("leaves everything as it was", async () => {
    const deep = deepDirectory();
    at.write({ [`${deep}/a.ts`]: "old(4);\n" });
    const preview = await at.edit({ ops: OPS });
    expect(preview.details.filesTouched).toBe(3);
    const result = await at.apply();
    expect(result.isError).toBe(true);
    expect(result.text).toBe(`Cannot write ${deep}/a.ts: the name is too long (ENAMETOOLONG). Nothing was applied.`);
    expect(contents()).toEqual([FILES["src/a.ts"], FILES["src/b.ts"]]);
    expect(at.read(join(deep, "a.ts"))).toBe("old(4);\n");
  });
});

function editRequest(): EditRequest {
  const signal = new AbortController().signal;
  return {
    ...openScan({ path: "src" }, at.directory),
    operations: checkOperations(OPS),
    limit: 9,
    maxFiles: 9,
    signal,
  };
}

test("a scan that takes too long is no plan", async () => {
  const taken: string[] = [];
  const planning = planEdits(at.context, { ...editRequest(), budget: 0 }, ({ shown }) => taken.push(shown));
  await expect(planning).rejects.toThrow("Stopped after 30 seconds before every file was searched.");
  expect(taken).toEqual([]);
});

describe("a file that changes while others are written", () => {
  /** Applies the change; when a file with this text is parsed, which happens after it was read, calls `change`. */
  async function applyWith(textOfFile: string, change: () => void) {
    const request = editRequest();
    const { engine } = request;
    const preview = new Preview({ maxLines: 100 });
    await planEdits(at.context, request, (file) => preview.add(file));
    const parseAsync: typeof engine.parseAsync = (language, source) => {
      if (source === textOfFile) change();
      return engine.parseAsync(language, source);
    };
    return applyPreview(at.context, { ...request, engine: { ...engine, parseAsync } }, preview.files);
  }

  test("keeps what was saved, and the others are as before", async () => {
    const result = await applyWith(FILES["src/b.ts"], () => at.write({ "src/b.ts": "saved();\n" }));
    expect(result).toEqual({
      content: [{ type: "text", text: stale("1 file", "src/b.ts") }],
      isError: true,
      isStale: true,
    });
    expect(contents()).toEqual([FILES["src/a.ts"], "saved();\n"]);
  });

  test("is not made again when it was deleted", async () => {
    const result = await applyWith(FILES["src/b.ts"], () => unlinkSync(at.path("src/b.ts")));
    expect(result.isError).toBe(true);
    expect(at.read("src/a.ts")).toBe(FILES["src/a.ts"]);
    expect(existsSync(at.path("src/b.ts"))).toBe(false);
  });
});

test("both names of a file with two show the new content", async () => {
  linkSync(at.path("src/a.ts"), at.path("src/twin.ts"));
  await at.change({ ops: OPS });
  expect([at.read("src/a.ts"), at.read("src/twin.ts")]).toEqual(["fresh(1);\n", "fresh(1);\n"]);
});
