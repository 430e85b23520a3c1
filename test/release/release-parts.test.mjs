// The parts of scripts/release.mjs that need no build.
import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testWith } from "../../packages/coding-agent/test/support/system-tool.ts";
import { root } from "../../scripts/paths.mjs";
import { cutChangelog } from "../../scripts/release/changelog.mjs";
import { renderChecksums } from "../../scripts/release/checksums.mjs";
import { bundledComponents, nativeComponents } from "../../scripts/release/components.mjs";
import { checkIntegrity } from "../../scripts/release/fetch-package.mjs";
import { checkLicences, renderNotices } from "../../scripts/release/licences.mjs";
import { readOptions } from "../../scripts/release/options.mjs";
import { checkPython, packPython } from "../../scripts/release/python-package.mjs";
import { renderSbom } from "../../scripts/release/sbom.mjs";
import { nextVersion, readVersion, setVersion, strayVersions } from "../../scripts/release/versions.mjs";
import { TARGETS } from "../../scripts/targets.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

function withScratch(work) {
  const directory = scratchPath();
  try {
    return work(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe("versions", () => {
  test("all packages have the version of the repository", () => {
    expect(strayVersions()).toEqual([]);
  });

  test.each([
    ["patch", "1.2.4"],
    ["minor", "1.3.0"],
    ["major", "2.0.0"],
    ["1.2.10", "1.2.10"],
    ["2.0.0", "2.0.0"],
  ])("1.2.3 → %s", (wish, expected) => {
    expect(nextVersion("1.2.3", wish)).toBe(expected);
  });

  test.each(["1.2.3", "1.1.9", "0.9.9", "1.3", "next"])("1.2.3 does not become %s", (wish) => {
    expect(() => nextVersion("1.2.3", wish)).toThrow(/is not above 1\.2\.3|is neither a version/);
  });

  test("a new one is written everywhere, the lockfile included", () => {
    withScratch((copy) => {
      for (const name of ["package.json", "package-lock.json"]) cpSync(join(root, name), join(copy, name));
      for (const name of readdirSync(join(root, "packages"))) {
        mkdirSync(join(copy, "packages", name), { recursive: true });
        cpSync(join(root, "packages", name, "package.json"), join(copy, "packages", name, "package.json"));
      }
      cpSync(join(root, "python/pintle/_version.py"), join(copy, "python/pintle/_version.py"));
      expect(strayVersions(copy)).toEqual([]);
      setVersion("9.8.7", copy);
      expect(readFileSync(join(copy, "python/pintle/_version.py"), "utf8")).toContain('\nVERSION = "9.8.7"\n');
      expect(readVersion(copy)).toBe("9.8.7");
      const lock = JSON.parse(readFileSync(join(copy, "package-lock.json"), "utf8"));
      expect([lock.version, lock.packages["packages/agent"].version]).toEqual(["9.8.7", "9.8.7"]);
      expect(lock.packages["packages/agent"].dependencies["@pintle/ai"]).toBe("9.8.7");
      expect(lock.packages["node_modules/typebox"].version).not.toBe("9.8.7");
      expect(strayVersions(copy)).toEqual([]);
    });
  });
});

describe("CHANGELOG", () => {
  test("moves unreleased entries to the version, above older versions", () => {
    const text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 - 2026-01-01\n\n- old\n";
    expect(cutChangelog(text, "0.2.0", "2026-02-01")).toBe(
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-01\n\n- new\n\n## 0.1.0 - 2026-01-01\n\n- old\n",
    );
  });

  test("refuses a release without entries", () => {
    expect(() => cutChangelog("# Changelog\n\n## Unreleased\n\n## 0.1.0 - x\n- old\n", "0.2.0", "x")).toThrow(
      "no entries under Unreleased",
    );
  });

  test("cuts the changelog of this repository", () => {
    const text = readFileSync(join(root, "CHANGELOG.md"), "utf8");
    expect(cutChangelog(text, "99.0.0", "2030-01-01")).toContain("## Unreleased\n\n## 99.0.0 - 2030-01-01\n");
  });
});

describe("software of others", () => {
  const components = [...bundledComponents(), ...Object.values(TARGETS).flatMap(nativeComponents)];

  test("what is in the program has a licence that allows it, and its text", () => {
    expect(checkLicences(components)).toEqual([]);
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["typebox", "@ast-grep/lang-go", "@oven/bun-darwin-aarch64", "@vscode/ripgrep-win32-x64"]),
    );
    // These are in the page, which the program contains as a string.
    expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(["marked", "highlight.js"]));
  });

  test("another licence, or none, stops the release", () => {
    const wrong = { name: "x", version: "1.0.0", license: "GPL-3.0", text: "…" };
    expect(checkLicences([wrong, { ...wrong, license: "MIT", text: undefined }])).toEqual([
      expect.stringContaining("x@1.0.0: licence GPL-3.0 is not among"),
      "x@1.0.0: does not contain the text of its licence",
    ]);
  });

  test("the notices have every name and every text", () => {
    const notices = renderNotices(components);
    for (const { name, version, text } of components) {
      expect(notices).toContain(`${name} ${version}`);
      expect(notices).toContain(text.trim());
    }
  });

  test("the bill of materials names each once, with the hash of the lockfile", () => {
    const sbom = renderSbom("1.2.3", [...components, ...components]);
    expect([sbom.bomFormat, sbom.specVersion]).toEqual(["CycloneDX", "1.6"]);
    const refs = sbom.components.map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    expect(sbom.dependencies).toEqual([{ ref: "pkg:npm/pintle@1.2.3", dependsOn: refs }]);
    for (const { hashes } of sbom.components) {
      expect(hashes[0].alg).toBe("SHA-512");
      expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
    }
  });
});

testWith("python3")(
  "the archives for Python hold what belongs there, and a stray or missing file is seen",
  async () => {
    withScratch((directory) => {
      const packed = packPython(directory);
      expect(packed.map(({ name }) => name)).toEqual([
        `pintle-${readVersion()}-py3-none-any.whl`,
        `pintle-${readVersion()}.tar.gz`,
      ]);
      expect(packed.flatMap(checkPython)).toEqual([]);
      const [wheel, sdist] = packed;
      expect(checkPython({ ...wheel, paths: [...wheel.paths, "pintle/__pycache__/x.pyc"] })).toHaveLength(1);
      expect(checkPython({ ...sdist, paths: sdist.paths.filter((path) => !path.endsWith("py.typed")) })).toHaveLength(
        1,
      );
    });
  },
);

test("a fetched package that is not the one of the lockfile is refused", () => {
  withScratch((directory) => {
    const file = join(directory, "a.tgz");
    writeFileSync(file, "abc");
    const integrity = "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
    expect(() => checkIntegrity(file, integrity)).not.toThrow();
    writeFileSync(file, "abd");
    expect(() => checkIntegrity(file, integrity)).toThrow("a.tgz is not what the lockfile names");
  });
});

test("checksums are those that sha256sum reads", () => {
  withScratch((directory) => {
    writeFileSync(join(directory, "a"), "abc");
    const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(renderChecksums([join(directory, "a")])).toBe(`${sum}  a\n`);
  });
});

test("an unknown target is refused with those that there are", () => {
  expect(() => readOptions(["--only", "solaris"])).toThrow(/--only solaris: not one of linux-x64, .*win32-x64/);
  expect(readOptions(["--only", "win32-x64"]).targets).toEqual(["win32-x64"]);
  expect(readOptions([]).targets.length).toBe(7);
});
