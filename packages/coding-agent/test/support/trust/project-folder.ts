import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";

export interface ProjectFolder extends Disposable {
  /** Contains the other two. */
  root: string;
  /** The project. */
  cwd: string;
  /** pintle's own directory. */
  home: string;
  /** Paths as in `files`. */
  write(path: string, content: string | Uint8Array): string;
  link(path: string, target: string): string;
  at(path: string): string;
}

/** Creates a project and a home of pintle on disk. Paths are relative to the project; `~/` is pintle's directory. */
export function projectFolder(files: Record<string, string> = {}): ProjectFolder {
  const root = scratchPath();
  const cwd = join(root, "project");
  const home = join(root, "home");
  const at = (path: string) => (path.startsWith("~/") ? join(home, path.slice(2)) : join(cwd, path));
  const withFolder = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    return at(path);
  };
  for (const directory of [cwd, home]) mkdirSync(directory);
  const folder: ProjectFolder = {
    root,
    cwd,
    home,
    at,
    write(path, content) {
      writeFileSync(withFolder(path), content);
      return at(path);
    },
    link(path, target) {
      symlinkSync(target, withFolder(path));
      return at(path);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
  for (const [path, content] of Object.entries(files)) folder.write(path, content);
  return folder;
}
