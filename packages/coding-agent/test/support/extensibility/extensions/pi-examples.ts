import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { publishedFiles } from "../../clients/published-package.ts";
import { freshPlace, type Place } from "../../session/test-session.ts";

/** The directory of pi's example extensions; they are third-party code and not part of this repository. */
export const examplesFolder = process.env.PINTLE_PI_EXAMPLES ?? (await fetchExamples());

export const hasExamples = examplesFolder !== "";

/** Without the registry, the tests that need them are skipped; in CI that is a failure. */
async function fetchExamples(): Promise<string> {
  try {
    const folder = await publishedFiles({
      name: "@earendil-works/pi-coding-agent",
      version: "0.74.2",
      integrity: "sha512-4Ey/ZgKw8Rq/cLhKtam7ze+LrTg+cNGRMCcAm0HCteHyVbYGbYqbbV8KzXW6fD/X64+213E9PJvIiPfpKJ1kOw==",
      files: ["examples/extensions"],
    });
    return join(folder, "examples/extensions");
  } catch (error) {
    if (process.env.CI) throw error;
    console.error(`pi's example extensions could not be fetched: ${error}`);
    return "";
  }
}

/** Returns the entry file of an example. */
export function example(name: string): string {
  const file = join(examplesFolder, `${name}.ts`);
  return existsSync(file) ? file : join(examplesFolder, name, "index.ts");
}

/** Returns the names of all examples. */
export function exampleNames(): string[] {
  if (!hasExamples) return [];
  return readdirSync(examplesFolder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith(".ts")) return [entry.name.slice(0, -".ts".length)];
    return entry.isDirectory() && existsSync(join(examplesFolder, entry.name, "index.ts")) ? [entry.name] : [];
  });
}

/** An environment that is also the working directory and the home of this process, which some examples read. */
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
