import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** As the PATH knows it. */
export const PROGRAM_NAME = "pintle";
const EXECUTABLE = process.platform === "win32" ? `${PROGRAM_NAME}.exe` : PROGRAM_NAME;

/** The program that was built or installed beside this package, else whatever the PATH has under its name. */
export function findProgram(): string {
  return programPlaces().find((path) => existsSync(path)) ?? PROGRAM_NAME;
}

/** Where it may have been built or installed, the nearest first. */
export function programPlaces(): string[] {
  const places: string[] = [];
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    // Only the repository of this package: the dist of any other project is none of ours.
    const isOurs = existsSync(join(directory, "packages", "client", "package.json"));
    places.push(...(isOurs ? [join(directory, "dist", EXECUTABLE)] : installedIn(join(directory, "node_modules"))));
    if (dirname(directory) === directory) return places;
  }
}

/** The compiled program first: the launcher before it costs the start of a runtime, and Windows cannot start it at all. */
function installedIn(modules: string): string[] {
  const launcher = join(modules, ".bin", EXECUTABLE);
  const manifest = join(modules, PROGRAM_NAME, "package.json");
  if (!existsSync(manifest)) return [launcher];
  const { resolve } = createRequire(realpathSync(manifest));
  const programs = platformPackages().flatMap((name) => {
    try {
      return [join(dirname(resolve(`${name}/package.json`)), "bin", EXECUTABLE)];
    } catch {
      return []; // not installed
    }
  });
  // Both C libraries of Linux are there: the launcher knows how to choose.
  return programs.length === 1 ? [...programs, launcher] : [launcher];
}

function platformPackages(): string[] {
  const name = `@pintle/${process.platform}-${process.arch}`;
  return process.platform === "linux" ? [name, `${name}-musl`] : [name];
}
