import { describe, test } from "bun:test";

interface Definers {
  test: (name: string, run: () => undefined | Promise<unknown>, timeout?: number) => void;
  describe: (name: string, define: () => void) => void;
}

/**
 * Defines tests that run only on suitable machines. Elsewhere they are skipped, and their name says why: `npm test` lists
 * what it has skipped.
 */
export function where(isSo: boolean, need: string): Definers {
  if (isSo) return { test: (name, run, timeout) => test(name, run, timeout), describe };
  return {
    test: (name, run) => test.skip(`${name} [${need}]`, run),
    describe: (name, define) => describe.skip(`${name} [${need}]`, define),
  };
}
