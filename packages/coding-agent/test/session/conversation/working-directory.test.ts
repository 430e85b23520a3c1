import { afterAll, expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { workingDirectory } from "../../../src/session/conversation/working-directory.ts";

const scratch = scratchDirectory();
const root = realpathSync(scratch.path);
const FALLBACK = "/the/fallback";
for (const folder of ["a", "far/inner", "far/a"]) mkdirSync(join(root, folder), { recursive: true });
writeFileSync(join(root, "file"), "");
symlinkSync("far/inner", join(root, "link"));
afterAll(() => scratch[Symbol.dispose]());

test.each([
  [`${root}/a`, `${root}/a`],
  [`${root}//a/`, `${root}/a`],
  [`${root}/./a/../a`, `${root}/a`],
  [`${root}/link`, `${root}/link`],
  // The system would open far/a.
  [`${root}/link/../a`, `${root}/a`],
  [FALLBACK, FALLBACK],
])("%s is %s", (own, cwd) => {
  expect(workingDirectory(own, FALLBACK)).toEqual({ cwd });
});

test.each([
  ["", ""],
  ["a", "a"],
  ["../a", "../a"],
  ["~/a", "~/a"],
  [`${root}/file`, `${root}/file`],
  [`${root}/gone`, `${root}/gone`],
  [`${root}/a\u0000`, `${root}/a?`],
  ["/\u001b]0;x\u0007\n/y", "/?]0;x??/y"],
  [`/${"a/".repeat(5000)}`, `/${"a/".repeat(5000)}`.slice(0, 500)],
  [5, "5"],
  [undefined, "undefined"],
  [{ toString: "x" }, '{"toString":"x"}'],
])("%j is none, and the text about it is one plain line", (own, shown) => {
  const problem = `The session's directory ${shown} cannot be entered. Working in ${FALLBACK}.`;
  expect(workingDirectory(own, FALLBACK)).toEqual({ cwd: FALLBACK, problem });
});
