import { test } from "bun:test";
import { where } from "./where.ts";

type Define = (name: string, run: () => Promise<void>) => void;

/**
 * Defines a test that needs a program which npm does not provide. `npm test` installs it if possible; otherwise the
 * test is skipped with that reason. In CI it fails, because a skip would hide that nothing was tested.
 */
export function testWith(tool: string): Define {
  if (Bun.which(tool)) return test;
  if (!process.env.CI) return where(false, `needs ${tool}, which is not installed`).test;
  return (name) =>
    test(name, () => {
      throw new Error(`${tool} is not installed`);
    });
}
