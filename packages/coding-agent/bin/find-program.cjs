// Where the compiled program is: in the package of this platform that npm has installed beside `pintle`.
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");

const EXECUTABLE = process.platform === "win32" ? "pintle.exe" : "pintle";

/** The packages that could hold it. On Linux there is one per C library; npm installs the one that fits. */
function platformPackages() {
  const name = `@pintle/${process.platform}-${process.arch}`;
  return process.platform === "linux" ? [name, `${name}-musl`] : [name];
}

/** Throws what a user should read when there is none. */
function findProgram() {
  const found = inSources() ?? fitting(platformPackages().filter((name) => directoryOf(name) !== undefined));
  if (found !== undefined) return found;
  const names = platformPackages();
  throw new Error(
    [
      `the program for ${process.platform}-${process.arch} is not installed: there is no package ${names.join(" or ")}`,
      "npm leaves it out with --omit=optional or --no-optional, and in a node_modules that was made on another system.",
      "Install again with optional dependencies: npm install --include=optional pintle",
      `Systems with a program: ${Object.keys(require("../package.json").optionalDependencies ?? {}).join(", ")}`,
    ].join("\n"),
  );
}

/** In a clone of the repository the program is the one that was built there. A published package has no sources. */
function inSources() {
  if (!existsSync(join(__dirname, "../src/cli.ts"))) return undefined;
  const built = join(__dirname, "../../../dist", EXECUTABLE);
  if (existsSync(built)) return built;
  throw new Error("the program is not built yet; run: npm run build");
}

function fitting(names) {
  // Package managers that know nothing of C libraries install both; asking for ours takes a while, so it is asked only then.
  const name = names.length > 1 && isMusl() ? names[1] : names[0];
  return name === undefined ? undefined : join(directoryOf(name), "bin", EXECUTABLE);
}

function isMusl() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

function directoryOf(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

module.exports = { findProgram };
