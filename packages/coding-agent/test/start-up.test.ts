import { describe, expect, test } from "bun:test";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanEnvironment, dist, repository, runProgram, scratchDirectory } from "./support/program.ts";

interface Metafile {
  inputs: Record<string, { imports: { path: string; kind: string; external?: boolean }[] }>;
}

/** Where `pintle --mode rpc` begins; main.ts loads the second for that mode alone. */
const ENTRIES = ["packages/coding-agent/src/cli.ts", "packages/coding-agent/src/commands/serve-rpc.ts"];

/** The modules that may be evaluated before `ready`: reachable from the entries without a dynamic import. */
async function modulesBeforeReady(): Promise<string[]> {
  using scratch = scratchDirectory();
  const metafile = join(scratch.path, "meta.json");
  const build = Bun.spawnSync(
    [
      process.execPath,
      "build",
      "packages/coding-agent/src/cli.ts",
      "--target=bun",
      `--metafile=${metafile}`,
      "--outfile",
      join(scratch.path, "out.js"),
    ],
    { cwd: repository },
  );
  expect(build.exitCode).toBe(0);
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const edge of inputs[path]?.imports ?? [])
      if (edge.kind !== "dynamic-import" && !edge.external) visit(edge.path);
  };
  ENTRIES.forEach(visit);
  return [...seen].sort();
}

describe("what is loaded before ready", () => {
  test("no provider, no transport, no schema compiler, no rules of the offline model", async () => {
    const loaded = await modulesBeforeReady();
    const heavy = loaded.filter((path) =>
      /ai\/src\/(protocols|transport|offline\/offline-(?!info))|eventsource-parser|typebox\/build\/(schema|value|compile)|tool-calls|validate-arguments/.test(
        path,
      ),
    );
    expect(heavy).toEqual([]);
    expect(loaded).toContain("packages/coding-agent/src/modes/rpc/rpc-mode.ts");
  });

  test("of the packages from npm only the small JSON reader", async () => {
    const packages = (await modulesBeforeReady()).flatMap(
      (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    );
    expect([...new Set(packages)].sort()).toEqual(["partial-json"]);
  });
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
