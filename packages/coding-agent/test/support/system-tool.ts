import { test } from "bun:test";

/**
 * A test that needs a program npm does not have. `npm test` installs it where it may; where it could not, the test is
 * skipped with a word about it, and in CI it fails: there a missing tool would hide that nothing was tested.
 */
export function testWith(tool: string): typeof test {
  if (Bun.which(tool)) return test;
  if (process.env.CI) {
    return ((name: string) =>
      test(name, () => {
        throw new Error(`${tool} is not installed`);
      })) as typeof test;
  }
  console.error(`SKIPPED: ${tool} is not installed; tests that need it do not run`);
  return test.skip as typeof test;
}
