import { test } from "bun:test";
import { where } from "./where.ts";

type Define = (name: string, run: () => Promise<void>) => void;

/**
 * A test that needs a program npm does not have. `npm test` installs it where it may; where it could not, the test is
 * skipped with that reason, and in CI it fails: there a missing tool would hide that nothing was tested.
 */
export function testWith(tool: string): Define {
  if (Bun.which(tool)) return test;
  if (!process.env.CI) return where(false, `needs ${tool}, which is not installed`).test;
  return (name) =>
    test(name, () => {
      throw new Error(`${tool} is not installed`);
    });
}
