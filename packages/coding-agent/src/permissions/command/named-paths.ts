import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isSystemError } from "@pintle/foundation";
import type { RequestPath } from "../request.ts";
import type { StaticProgram } from "./read-command.ts";
import { realPathOf } from "./real-path.ts";

/** How many names the expansion of patterns examines before it gives up. */
const MAX_ENTRIES = 5_000;

/**
 * Returns the files that the words of programs may name, resolved from each directory the command may be in, or undefined if
 * they cannot be listed. A word may be a name, the value of an option (`--file=a`, `-fa`, `if=a`) or a name after `@` or `:`
 * (`HEAD:a`). Only rules that forbid files use this list; nothing is allowed because of it.
 */
export function namedPaths(
  programs: readonly StaticProgram[],
  directories: readonly string[],
): RequestPath[] | undefined {
  const budget = { left: MAX_ENTRIES };
  const found = new Map<string, RequestPath>();
  for (const { argv, hasPattern } of programs) {
    for (const name of new Set(argv.slice(1).flatMap(possibleNames))) {
      for (const directory of directories) {
        const paths = hasPattern && /[*?]/.test(name) ? expand(directory, name, budget) : [resolve(directory, name)];
        for (const path of paths)
          for (const named of withContents(path, !name.includes("/"))) found.set(named.path, named);
        if (budget.left < 0) return undefined;
      }
    }
  }
  return [...found.values()];
}

function possibleNames(word: string): string[] {
  const patterns = [/^-[A-Za-z](.+)$/s, /=(.+)$/s, /^@(.+)$/s, /:([^:]+)$/s];
  const values = [word, ...patterns.map((pattern) => pattern.exec(word)?.[1])];
  return values.flatMap((value) => (value === undefined || value === "" || value.startsWith("-") ? [] : [value]));
}

/** Adds a path inside a named directory, so that a rule for `secrets/**` also applies to `secrets`. */
function withContents(path: string, isPlain: boolean): RequestPath[] {
  // Most words name no file, and a missing name in a real directory resolves to itself.
  const real = isPlain && !isThere(path) ? path : realPathOf(path);
  if (real === undefined) return []; // the system rejects the name
  const named: RequestPath = { path, real, access: "read" };
  return isDirectory(real) ? [named, { ...named, path: join(path, "_"), real: join(real, "_") }] : [named];
}

/** Expands `*` and `?` as the shell does, one directory after the other. */
function expand(directory: string, pattern: string, budget: { left: number }): string[] {
  let reached = [pattern.startsWith("/") ? "/" : directory];
  for (const name of pattern.split("/").filter(Boolean)) {
    const glob = /[*?]/.test(name) ? new Bun.Glob(name.replace(/[[\]{}!\\]/g, "\\$&")) : undefined;
    reached = reached.flatMap((at) => {
      if (!glob) return [resolve(at, name)];
      const names = entriesOf(at);
      budget.left -= names.length + 1;
      if (budget.left < 0) return [];
      return names
        .filter((entry) => glob.match(entry) && entry.startsWith(".") === name.startsWith("."))
        .map((entry) => join(at, entry));
    });
  }
  return reached;
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isSystemError(error)) return []; // the shell finds nothing there either
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isSystemError(error)) return true;
    throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

const GREPS = new Set(["grep", "egrep", "fgrep", "zgrep"]);
const SEARCHERS = new Set(["ack", "ag", "rg", "rgrep"]);
const RECURSES = /^(?:-[A-Za-z]*[rRd]|--(?:dereference-)?rec|--dir)/;

/** Returns the directories that programs search, printing parts of files that no word names. */
export function searchedDirectories(programs: readonly StaticProgram[], directories: readonly string[]): string[] {
  return programs
    .filter(({ argv }) => searches(argv))
    .flatMap(({ argv, hasPattern }) => {
      const named = directories.flatMap((directory) => argv.slice(1).map((word) => resolve(directory, word)));
      const searched = hasPattern ? [] : named.flatMap((path) => realPathOf(path) ?? []).filter(isDirectory);
      return searched.length > 0 ? searched : directories;
    });
}

function searches([program = "", ...words]: readonly string[]): boolean {
  const name = basename(program);
  return SEARCHERS.has(name) || (GREPS.has(name) && words.some((word) => RECURSES.test(word)));
}
