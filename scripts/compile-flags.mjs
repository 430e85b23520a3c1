/** How Bun compiles the program. Tests that compile a part of it use the same flags. */
export const COMPILE_FLAGS = [
  "--compile",
  "--bytecode", // the program is parsed at build time, not at every start
  // Lazily loaded modules are separate chunks: a start reads only what it needs.
  "--format=esm",
  "--splitting",
  // Without these two, a project's bunfig.toml and .env would take effect before our first line.
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  // Without this one, packages next to users' modules are found only if they have an index file: `main` and `exports`
  // are in their package.json. Only those between a module and its imports are read, none at startup.
  "--compile-autoload-package-json",
];
