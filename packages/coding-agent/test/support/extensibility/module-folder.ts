import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";

export interface ModuleFolder extends Disposable {
  path: string;
  /** Writes a file, creating the folders above it, and returns its path. */
  write(name: string, text: string): string;
}

/** Creates a folder for modules that a test loads; each has paths that this process has never imported. */
export function moduleFolder(): ModuleFolder {
  const scratch = scratchDirectory();
  const path = realpathSync(scratch.path);
  return {
    path,
    write(name, text) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}
