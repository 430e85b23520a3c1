import { describe, expect, test } from "bun:test";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../test/support/scratch-directory.mjs";
import { cleanEnvironment, dist, repository, runProgram } from "./support/program.ts";

interface Metafile {
  inputs: Record<string, { imports: { path: string; kind: string; external?: boolean }[] }>;
}

/** The entry modules of `pintle --mode rpc`; main.ts loads the second only in that mode. */
const ENTRIES = ["packages/coding-agent/src/cli.ts", "packages/coding-agent/src/commands/serve-rpc.ts"];

/**
 * Returns everything that is evaluated with these entries: their own and the runtime's modules that are reachable without an import or
 * `require` inside a function.
 */
async function loadedWith(entries: readonly string[]): Promise<{ modules: string[]; ofTheRuntime: Set<string> }> {
  const { inputs } = await bundled();
  const modules = new Set<string>();
  const ofTheRuntime = new Set<string>();
  const visit = (path: string) => {
    if (modules.has(path)) return;
    modules.add(path);
    for (const edge of inputs[path]?.imports ?? []) {
      // Our sources call `require` only in functions.
      const isLater = edge.kind === "require-call" && path.startsWith("packages/");
      if (edge.kind === "dynamic-import" || isLater) continue;
      if (edge.external) ofTheRuntime.add(edge.path);
      else visit(edge.path);
    }
  };
  entries.forEach(visit);
  return { modules: [...modules].sort(), ofTheRuntime };
}

let metafile: Promise<Metafile> | undefined;
const bundled = () => {
  metafile ??= bundle();
  return metafile;
};

async function bundle(): Promise<Metafile> {
  using scratch = scratchDirectory();
  const path = join(scratch.path, "meta.json");
  const build = Bun.spawnSync(
    [
      process.execPath,
      "build",
      "packages/coding-agent/src/cli.ts",
      "--target=bun",
      `--metafile=${path}`,
      "--outfile",
      join(scratch.path, "out.js"),
    ],
    { cwd: repository },
  );
  expect(build.exitCode).toBe(0);
  return JSON.parse(readFileSync(path, "utf8")) as Metafile;
}

describe("what is loaded before ready", () => {
  test("no provider, no transport, no schema compiler, no rules of the offline model", async () => {
    const { modules: loaded } = await loadedWith(ENTRIES);
    const heavy = loaded.filter((path) =>
      /ai\/src\/(protocols|transport|offline\/offline-(?!info))|eventsource-parser|typebox\/build\/(schema|value|compile)|tool-calls|validate-arguments/.test(
        path,
      ),
    );
    expect(heavy).toEqual([]);
    expect(loaded).toContain("packages/coding-agent/src/modes/rpc/rpc-mode.ts");
  });

  test("no package from npm", async () => {
    const { modules } = await loadedWith(ENTRIES);
    const packages = modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual([]);
  });
});

test("with a receiver of traces nothing more of the runtime is loaded: node:crypto alone would cost more than a run's spans", async () => {
  const before = await loadedWith(ENTRIES);
  const recorder = await loadedWith(["packages/coding-agent/src/traces/create-recorder.ts"]);
  expect([...recorder.ofTheRuntime.difference(before.ofTheRuntime)]).toEqual([]);
  expect(recorder.modules).toContain("packages/coding-agent/src/traces/otlp/otlp-post.ts");
});

describe("the built program", () => {
  test("holds no path of the machine that built it", () => {
    const bytes = readFileSync(join(dist, "pintle"));
    expect(bytes.includes(Buffer.from(repository))).toBe(false);
  });

  test("runs from a copied dist/ alone", async () => {
    using scratch = scratchDirectory();
    cpSync(join(dist, "pintle"), join(scratch.path, "pintle"));
    const options = { cwd: scratch.path, env: cleanEnvironment(scratch.path), command: [join(scratch.path, "pintle")] };
    const { code, stdout } = await runProgram(["-p", "help"], options);
    expect({ code, hasText: stdout.length > 0 }).toEqual({ code: 0, hasText: true });
  });
});
