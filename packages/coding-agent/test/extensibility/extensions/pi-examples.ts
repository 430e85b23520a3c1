import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { freshPlace, type Place } from "../../session/test-session.ts";
import { repository } from "../../support/program.ts";

const INSTALLED = join(repository, "node_modules/@earendil-works/pi-coding-agent/examples/extensions");

/** Where the example extensions of pi are; they are somebody else's and not part of this repository. */
export const examplesFolder = process.env.PINTLE_PI_EXAMPLES ?? INSTALLED;

export const hasExamples = existsSync(examplesFolder);
if (!hasExamples) {
  console.error(`pi's example extensions are not in ${examplesFolder}; tests that need them do not run`);
}

/** The entry file of an example. */
export function example(name: string): string {
  const file = join(examplesFolder, `${name}.ts`);
  return existsSync(file) ? file : join(examplesFolder, name, "index.ts");
}

/** Of all examples. */
export function exampleNames(): string[] {
  if (!hasExamples) return [];
  return readdirSync(examplesFolder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith(".ts")) return [entry.name.slice(0, -".ts".length)];
    return entry.isDirectory() && existsSync(join(examplesFolder, entry.name, "index.ts")) ? [entry.name] : [];
  });
}

/** A place that is also the working directory and the home of this process: some examples look at those. */
export function processPlace(): Place & Disposable {
  const place = freshPlace();
  const before = { cwd: process.cwd(), home: process.env.PINTLE_HOME };
  process.chdir(place.cwd);
  process.env.PINTLE_HOME = place.home;
  return {
    home: place.home,
    cwd: realpathSync(place.cwd),
    [Symbol.dispose]: () => {
      process.chdir(before.cwd);
      if (before.home === undefined) delete process.env.PINTLE_HOME;
      else process.env.PINTLE_HOME = before.home;
    },
  };
}
