import { test } from "bun:test";

type Define = (name: string, run: () => Promise<void>) => void;

/**
 * A test that needs a program npm does not have. `npm test` installs it where it may; where it could not, the test is
 * skipped with a word about it, and in CI it fails: there a missing tool would hide that nothing was tested.
 */
export function testWith(tool: string): Define {
  if (Bun.which(tool)) return test;
  console.error(`${tool} is not installed; tests that need it do not run`);
  if (!process.env.CI) return test.skip;
  return (name) =>
    test(name, () => {
      throw new Error(`${tool} is not installed`);
    });
}
