import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program's name on the PATH. */
export const PROGRAM_NAME = "pintle";
const EXECUTABLE = process.platform === "win32" ? `${PROGRAM_NAME}.exe` : PROGRAM_NAME;

/** Returns the program built or installed next to this package, otherwise the one on the PATH. */
export function findProgram(): string {
  return programPlaces().find((path) => existsSync(path)) ?? PROGRAM_NAME;
}

/** Returns the paths where the program may have been built or installed, nearest first. */
export function programPlaces(): string[] {
  const places: string[] = [];
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    // Only this package's own repository: the dist folder of any other project is not ours.
    const isOurs = existsSync(join(directory, "packages", "client", "package.json"));
    places.push(...(isOurs ? [join(directory, "dist", EXECUTABLE)] : installedIn(join(directory, "node_modules"))));
    if (dirname(directory) === directory) return places;
  }
}

/** Prefers the compiled program: the launcher adds the startup time of a runtime, and Windows cannot spawn it. */
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
  // The variants for both Linux C libraries are installed; the launcher knows which one to run.
  return programs.length === 1 ? [...programs, launcher] : [launcher];
}

function platformPackages(): string[] {
  const name = `@pintle/${process.platform}-${process.arch}`;
  return process.platform === "linux" ? [name, `${name}-musl`] : [name];
}
