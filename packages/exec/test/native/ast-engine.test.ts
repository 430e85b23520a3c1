import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { loadAstEngine } from "../../src/native/ast-engine.ts";
import { installedParsers, packageOf, shippedParsers, usableParsers } from "../../src/native/ast-parsers.ts";

const repository = resolve(import.meta.dir, "../../../..");
const SHIPPED = ["bash", "c", "go", "java", "json", "python", "rust", "yaml"];

let scratch: string;
let native: string;

beforeAll(() => {
  scratch = scratchPath();
  native = join(scratch, "dist/native");
  mkdirSync(native, { recursive: true });
  const script = JSON.stringify(join(repository, "scripts/native/ast-grep.mjs"));
  run([process.execPath, "-e", `(await import(${script})).copyTo(${JSON.stringify(native)})`], scratch);
});

function run(command: string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, env: { PATH: process.env.PATH } });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} → ${exitCode}\n${stdout}${stderr}`);
  return stdout.toString() + stderr.toString();
}

/** Evaluates an expression with the engine of a program that was compiled like ours, and returns the text. */
function runCompiled(expression: string, cwd = scratch): string {
  const program = join(scratch, "dist/program");
  const entry = join(scratch, "entry.ts");
  writeFileSync(
    entry,
    `import { loadAstEngine } from ${JSON.stringify(join(repository, "packages/exec/src/native/ast-engine.ts"))};
     try { console.log(JSON.stringify(${expression})); } catch (error) { console.log((error as Error).message); }`,
  );
  run([process.execPath, "build", "--compile", "--bytecode", "--format=esm", "--outfile", program, entry], scratch);
  return run([program], cwd).trim();
}

describe("from sources", () => {
  test("the engine comes with the parsers of the installed packs", () => {
    const engine = loadAstEngine();
    expect(Object.keys(engine.parsers).sort()).toEqual(SHIPPED);
    expect(engine.parse("python", "print(1)\n").root().kind()).toBe("module");
    expect(engine.parse("TypeScript", "a").root().kind()).toBe("program");
  });

  test("it is loaded once", () => {
    expect(loadAstEngine()).toBe(loadAstEngine());
  });
});

describe("what the build copies", () => {
  test("tells the same about each parser as the installed packs", () => {
    const withoutPath = (parsers: ReturnType<typeof installedParsers>) =>
      Object.fromEntries(Object.entries(parsers).map(([name, { libraryPath: _, ...rest }]) => [name, rest]));
    const shipped = shippedParsers(join(native, "ast-grep"));
    expect(withoutPath(shipped)).toEqual(withoutPath(installedParsers()));
    expect(Object.keys(shipped).sort()).toEqual(SHIPPED);
  });

  test("holds the libraries and no path of this machine", () => {
    const folder = join(native, "ast-grep");
    expect(readdirSync(folder).sort()).toEqual(
      [...SHIPPED.map((name) => `${name}.so`), "engine.node", "parsers.json"].sort(),
    );
    expect(readFileSync(join(folder, "parsers.json"), "utf8")).not.toContain(repository);
  });
});

test("every known pack has a package, a built-in language has none", () => {
  expect(packageOf("ruby")).toBe("@ast-grep/lang-ruby");
  expect(packageOf("typescript")).toBeUndefined();
});

test("a library that cannot be opened does not take the process or the others with it", () => {
  const parsers = shippedParsers(join(native, "ast-grep"));
  const broken = join(scratch, "broken.so");
  writeFileSync(broken, "no library");
  const { go, json, yaml } = parsers;
  const usable = usableParsers({
    go: { ...go!, libraryPath: broken },
    json: { ...json!, languageSymbol: "tree_sitter_other" },
    rust: { ...go!, libraryPath: join(scratch, "missing.so") },
    yaml: yaml!,
  });
  expect(Object.keys(usable)).toEqual(["yaml"]);
});

describe("compiled", () => {
  const EXPRESSION = `(() => {
    const engine = loadAstEngine();
    return [Object.keys(engine.parsers).sort().join(" "), engine.parse("go", "package a").root().kind()];
  })()`;

  test("the engine is the one next to the program, whatever a project has installed", () => {
    const project = join(scratch, "project");
    const decoy = join(project, "node_modules/@ast-grep");
    for (const name of ["napi", "napi-linux-x64-gnu", "lang-go"]) {
      mkdirSync(join(decoy, name), { recursive: true });
      writeFileSync(join(decoy, name, "package.json"), JSON.stringify({ name: `@ast-grep/${name}`, main: "index.js" }));
      writeFileSync(join(decoy, name, "index.js"), 'console.log("the project\'s code ran")');
    }
    expect(JSON.parse(runCompiled(EXPRESSION, project))).toEqual([SHIPPED.join(" "), "source_file"]);
  });

  test("without the engine it names the package that the build lacks", () => {
    const engine = join(native, "ast-grep/engine.node");
    const kept = readFileSync(engine);
    rmSync(engine);
    try {
      expect(runCompiled("loadAstEngine()")).toMatch(
        /^Structural search is not part of this build of pintle: it lacks the package @ast-grep\/napi-.*\.$/,
      );
    } finally {
      writeFileSync(engine, kept);
    }
  });

  test("without one parser the others work", () => {
    rmSync(join(native, "ast-grep/rust.so"));
    expect(JSON.parse(runCompiled(EXPRESSION))).toEqual(["bash c go java json python yaml", "source_file"]);
  });
});
