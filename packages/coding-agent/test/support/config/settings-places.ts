import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { Settings, type SettingsOptions } from "../../../src/config/settings/settings.ts";

/**
 * Creates a home directory of pintle and a project on disk, removed at the end of the block that declares them with
 * `using`.
 */
export function settingsPlaces(files: { user?: unknown; yaml?: string; project?: unknown } = {}) {
  const root = scratchPath();
  const home = join(root, "home");
  const cwd = join(root, "project");
  const paths = {
    root,
    home,
    cwd,
    user: join(home, "settings.json"),
    yaml: join(home, "settings.yml"),
    project: join(cwd, ".pintle", "settings.json"),
  };
  for (const dir of [home, cwd]) mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) write(paths[name as keyof typeof files], content);
  const problems: string[] = [];
  return {
    ...paths,
    /** The reported problems, with paths relative to the common directory. */
    problems,
    write,
    read: (path: string) => JSON.parse(readFileSync(path, "utf8")) as unknown,
    open: (options: SettingsOptions = {}) =>
      Settings.create(cwd, home, { report: (text) => problems.push(text.replaceAll(`${root}/`, "")), ...options }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function write(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const isRaw = typeof content === "string" || content instanceof Uint8Array;
  writeFileSync(path, isRaw ? content : JSON.stringify(content));
}
