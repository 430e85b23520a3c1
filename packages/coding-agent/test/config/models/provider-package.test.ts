import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProviderError } from "@pintle/ai";
import { isPackageName, ProviderPackages } from "../../../src/config/models/provider-package.ts";
import { tempHome } from "../../support/config/temp-home.ts";

/** A package on disk that returns its location. */
function install(directory: string, name: string, source = `export const place = ${JSON.stringify(directory)};`): void {
  const folder = join(directory, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  const entry = { name, version: "1.0.0", type: "module", exports: { ".": "./index.js", "./more": "./more.js" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(entry));
  writeFileSync(join(folder, "index.js"), source);
  writeFileSync(join(folder, "more.js"), "export const place = 'more';");
}

async function failure(work: Promise<object>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

describe("where packages come from", () => {
  test("from HOME_DIR, then from the directory of pintle", async () => {
    using home = tempHome();
    using program = tempHome();
    const own = join(program.dir, "lib", "pintle", "dist");
    install(program.dir, "@ai-sdk/both");
    install(program.dir, "@ai-sdk/beside");
    install(home.dir, "@ai-sdk/both");
    const packages = new ProviderPackages(home.dir, own);
    expect(await packages.load("@ai-sdk/both")).toMatchObject({ place: home.dir });
    expect(await packages.load("@ai-sdk/beside")).toMatchObject({ place: program.dir });
    expect(await packages.load("@ai-sdk/both/more")).toMatchObject({ place: "more" });
  });

  test("never from a directory above HOME_DIR, nor from the working directory", async () => {
    using project = tempHome();
    const home = join(project.dir, "home");
    mkdirSync(home);
    install(project.dir, "fake-provider");
    const before = process.cwd();
    process.chdir(project.dir);
    try {
      const packages = new ProviderPackages(home, "/nowhere");
      expect(packages.isInstalled("fake-provider")).toBe(false);
      expect(await failure(packages.load("fake-provider"))).toBeInstanceOf(ProviderError);
    } finally {
      process.chdir(before);
    }
  });
});

describe("published packages", () => {
  const write = (home: { path(name: string): string }, files: Record<string, string>) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(home.path(`node_modules/${name}`)), { recursive: true });
      writeFileSync(home.path(`node_modules/${name}`), content);
    }
  };

  test("with conditional exports and dependencies", async () => {
    using home = tempHome();
    write(home, {
      "sdk/package.json": '{"exports":{".":{"import":"./dist/index.mjs","require":"./dist/index.js"}}}',
      "sdk/dist/index.mjs":
        'import { base } from "needed"; import { createHash } from "node:crypto"; export const createSdk = () => base + typeof createHash;',
      "sdk/dist/index.js": "throw new Error('the wrong entry');",
      "needed/package.json": '{"main":"lib/main.cjs"}',
      "needed/lib/main.cjs": "exports.base = 'base ';",
    });
    const module = (await new ProviderPackages(home.dir, "/nowhere").load("sdk")) as { createSdk(): string };
    expect(module.createSdk()).toBe("base function");
  });

  test("in CommonJS form, with everything on one object", async () => {
    using home = tempHome();
    write(home, {
      "old/package.json": '{"main":"./i.cjs"}',
      "old/i.cjs": "const all = {}; all.createOld = () => 'made'; module.exports = all;",
    });
    const module = (await new ProviderPackages(home.dir, "/nowhere").load("old")) as {
      default: { createOld(): string };
    };
    expect(module.default.createOld()).toBe("made");
  });

  test("are loaded once, and again after a failure", async () => {
    using home = tempHome();
    write(home, { "sdk/package.json": "{}", "sdk/index.js": 'import "missing";' });
    const packages = new ProviderPackages(home.dir, "/nowhere");
    expect(await failure(packages.load("sdk"))).toMatchObject({ message: expect.stringContaining('"missing"') });
    write(home, { "sdk/index.js": "export const createSdk = () => 1;" });
    const first = await packages.load("sdk");
    expect(await packages.load("sdk")).toBe(first);
  });

  test("pintle's working directory has no influence", async () => {
    using home = tempHome();
    using project = tempHome({
      "tsconfig.json": { compilerOptions: { baseUrl: ".", paths: { needed: ["./evil.js"], sdk: ["./evil.js"] } } },
      "package.json": { imports: { needed: "./evil.js" }, browser: { needed: "./evil.js" } },
      "bunfig.toml": 'preload = ["./evil.js"]',
      "evil.js": "export const place = 'project';",
    });
    install(project.dir, "needed", "export const place = 'project';");
    write(home, { "sdk/package.json": "{}", "sdk/index.js": 'export { place } from "needed";' });
    install(home.dir, "needed");
    const before = process.cwd();
    process.chdir(project.dir);
    try {
      expect(await new ProviderPackages(home.dir, "/nowhere").load("sdk")).toMatchObject({ place: home.dir });
    } finally {
      process.chdir(before);
    }
  });
});

test("an error about a missing package says how to install it", async () => {
  using home = tempHome();
  const packages = new ProviderPackages(home.dir, "/nowhere");
  expect(await failure(packages.load("@ai-sdk/google-vertex/anthropic"))).toMatchObject({
    kind: "invalid_request",
    message: `The package @ai-sdk/google-vertex/anthropic is not installed. To install it: npm install --prefix ${home.dir} @ai-sdk/google-vertex`,
  });
});

test("a package that fails to load says why", async () => {
  using home = tempHome();
  install(home.dir, "broken", 'throw new Error("no such region");');
  const packages = new ProviderPackages(home.dir, "/nowhere");
  expect(packages.isInstalled("broken")).toBe(true);
  expect(await failure(packages.load("broken"))).toMatchObject({
    kind: "invalid_request",
    message: "The package broken could not be loaded: no such region",
  });
});

test.each([
  ["@ai-sdk/amazon-bedrock", true],
  ["ollama-ai-provider-v2", true],
  ["@ai-sdk/google-vertex/anthropic", true],
  ["", false],
  ["./provider.js", false],
  ["../provider", false],
  ["/etc/provider", false],
  ["a/../../b", false],
  ["https://example.com/x.js", false],
  ["node:fs", false],
  ["@scope", false],
  ["C:\\provider", false],
])("%j is a package's name: %p", (text, expected) => {
  expect(isPackageName(text)).toBe(expected);
});
