/** How bun compiles the program. Tests that compile a part of it do it in the same way. */
export const COMPILE_FLAGS = [
  "--compile",
  "--bytecode", // the program is parsed at build time, not at every start
  // What is loaded on first use is a chunk of its own: a start reads only what it needs.
  "--format=esm",
  "--splitting",
  // Without these two a project's bunfig.toml and .env would act before our first line.
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  // Without this one the packages beside users' modules are found only if they have an index file: `main` and `exports` are
  // in their package.json. Read are those on the way from a module to what it imports, none at the start.
  "--compile-autoload-package-json",
];
