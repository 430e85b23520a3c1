import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../frames/command-error.ts";
import type { Roots } from "../store/roots.ts";

type Fields = Record<string, unknown> & { type: string };

export interface PathPlace {
  roots: Roots;
  /** The session's directory, and its engine's home directory. */
  cwd: string;
  home: string | undefined;
}

/** Commands of a session that name a path. Each returns the fields that the engine receives, or throws CommandError. */
const BOUNDS: Readonly<Record<string, (fields: Fields, place: PathPlace) => Fields>> = {
  /** The engine writes to the path that was checked. */
  export_html(fields, { roots, cwd }) {
    const { outputPath } = fields;
    if (typeof outputPath !== "string") return fields;
    const path = resolve(cwd, outputPath);
    const directory = roots.find(dirname(path), cwd);
    const target = isThere(path) ? roots.find(path, cwd) : directory && join(directory, basename(path));
    if (directory === undefined || target === undefined) throw outside(outputPath);
    return { ...fields, outputPath: target };
  },
  /** Only a query with such a beginning can leave the session's directory. */
  complete_path(fields, { roots, cwd, home }) {
    const { query } = fields;
    if (typeof query !== "string" || !/^(\/|~|\.\.(\/|$))/.test(query)) return fields;
    const named = query === "~" || query === ".." ? query : query.slice(0, query.lastIndexOf("/") + 1);
    const directory = named.replace(/^~(?=\/|$)/, () => home || homedir());
    if (roots.find(directory, cwd) === undefined) throw outside(query);
    return fields;
  },
};

/** Returns the fields of a session's command, with paths inside the roots. Throws CommandError. */
export function boundPaths(fields: Fields, place: () => PathPlace): Fields {
  return Object.hasOwn(BOUNDS, fields.type) ? BOUNDS[fields.type]!(fields, place()) : fields;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function outside(path: string): CommandError {
  return new CommandError("not_allowed", `${path} is not inside the roots of this server`);
}
