import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { textOf } from "../../../agent/test/support/tools.ts";
import { findOwnRipgrep, isUsableVersion } from "../../../exec/src/native/ripgrep.ts";
import { grepTool } from "../../src/tools/grep.ts";
import { openToolSession } from "../support/tools/tool-session.ts";

const root = join(import.meta.dir, "../../../..");
const { copyTo } = (await import(join(root, "scripts/native/ripgrep.mjs"))) as { copyTo(directory: string): void };

let directory: string;

beforeEach(() => {
  directory = scratchPath();
});

describe("our own ripgrep", () => {
  test("is that of the package when pintle runs from its sources", async () => {
    const path = await findOwnRipgrep();
    expect(Bun.spawnSync([path!, "--version"]).stdout.toString()).toStartWith("ripgrep 15.");
  });

  test("is only the one next to the program if it is compiled", async () => {
    expect(await findOwnRipgrep(directory)).toBeUndefined();
    copyTo(directory);
    const path = await findOwnRipgrep(directory);
    expect(path).toBe(join(directory, "rg"));
    expect(Bun.spawnSync([path!, "--version"]).stdout.toString()).toStartWith("ripgrep 15.");
  });

  test("is copied again over the one that is there, and can be run by everybody", () => {
    copyTo(directory);
    copyTo(directory);
    expect(statSync(join(directory, "rg")).mode & 0o777).toBe(0o755);
    expect(existsSync(join(directory, "rg.new"))).toBe(false);
  });
});

test("where there is none the tool says so and nothing else is affected", async () => {
  const script = `
    import { openToolSession } from "../support/tools/tool-session.ts";
    import { textOf } from "../../../agent/test/support/tools.ts";
    import { bashTool } from "../../src/tools/bash.ts";
    import { findTool } from "../../src/tools/find.ts";
    import { grepTool } from "../../src/tools/grep.ts";
    const session = openToolSession();
    for (const [tool, args] of [[grepTool, { pattern: "a" }], [findTool, { pattern: "a" }], [bashTool, { command: "echo works" }]]) {
      console.log(await session.call(tool, args).then(textOf, (error) => error.message));
    }
    await session.close();`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script], {
    cwd: join(root, "packages/coding-agent/test/tools"),
    env: { ...process.env, npm_config_arch: "none" }, // the package then looks for one for this platform
  });
  const missing = "This installation of pintle lacks ripgrep, which searching files requires.";
  expect(stdout.toString().trim().split("\n")).toEqual([missing, missing, "works"]);
});

test.each([
  ["ripgrep 13.0.0\n-SIMD -AVX", true],
  ["ripgrep 15.1.0 (rev 0a88cccd51)\n", true],
  ["ripgrep 12.1.1", false],
  ["ripgrep 130", false],
  ["rg from somewhere 15.0", false],
  ["", false],
])("a system's ripgrep that answers %j may be used: %p", (answer, isUsable) => {
  expect(isUsableVersion(answer)).toBe(isUsable);
});

describe("with search.preferSystem", () => {
  /** Prints which one it is when it is asked to search. */
  function systemRipgrep(version: string) {
    const bin = join(directory, version || "broken");
    mkdirSync(bin);
    const script = version
      ? `case "$*" in *--version*) echo '${version}';; *) echo 'error: the system was asked' >&2; exit 2;; esac`
      : "exit 1";
    writeFileSync(join(bin, "rg"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, "rg"), 0o755);
    return { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  }

  async function search(preferSystem: boolean, environment: Record<string, string | undefined>): Promise<string> {
    const session = openToolSession({ settings: { "search.preferSystem": preferSystem }, environment });
    session.write({ "a.txt": "needle" });
    try {
      return await session.call(grepTool, { pattern: "needle" }).then(textOf, (error: Error) => error.message);
    } finally {
      await session.close();
    }
  }

  test.each([
    ["a new one is used", "ripgrep 14.1.0", true, /the system was asked/],
    ["an old one is not", "ripgrep 11.0.2", true, /^a.txt:1: needle$/],
    ["a broken one is not", "", true, /^a.txt:1: needle$/],
    ["and without it none is", "ripgrep 14.1.1", false, /^a.txt:1: needle$/],
  ])("%s", async (_, version, preferSystem, expected) => {
    expect(await search(preferSystem, systemRipgrep(version))).toMatch(expected);
  });

  test("ours is used where the system has none", async () => {
    expect(await search(true, { PATH: directory })).toBe("a.txt:1: needle");
  });
});
