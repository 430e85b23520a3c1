import { mkdirSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { errorCode, replaceFile } from "@pintle/foundation";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/keys/environment.ts";
import { StartUpError } from "../config/start-up-error.ts";
import type { CallOf } from "./subcommand-flags.ts";

/** Prints a launcher for clients of another program of the family, or writes it to a directory under that program's name. */
export async function run({ words, flags, env }: CallOf<"compat">): Promise<number> {
  const [name = ""] = words;
  if (words.length !== 1 || !isCompatibleProgram(name)) {
    throw new UsageError(`pintle compat needs one of ${Object.keys(COMPATIBLE_PROGRAMS).join(", ")}`);
  }
  const script = launcherScript(name, COMPATIBLE_PROGRAMS[name], ownPath());
  if (flags.install === undefined) {
    await printText(script);
    return 0;
  }
  const path = install(name, script, resolve(flags.install));
  await printText(`${path}\n`);
  const found = Bun.which(name, { PATH: env.PATH ?? "" });
  if (found !== path) complain(hint(path, found, env));
  return 0;
}

function ownPath(): string {
  // When run from its sources, pintle is a script that a launcher cannot start directly.
  if (/(^|[/\\])bun(\.exe)?$/.test(process.execPath)) throw new StartUpError("a launcher needs the built program");
  return process.execPath;
}

/** Refuses to replace another program with this name. */
function install(name: string, script: string, directory: string): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  const old = readIfThere(path);
  if (old !== undefined && !old.includes(MARK)) {
    throw new StartUpError(`${path} already exists and was not written by pintle; choose another directory`);
  }
  replaceFile(path, { content: Buffer.from(script), mode: 0o755 });
  return path;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function hint(path: string, found: string | null, env: Environment): string {
  const directory = join(path, "..");
  const isOnPath = (env.PATH ?? "").split(delimiter).includes(directory);
  if (!isOnPath) return `${directory} is not on the PATH; put it first, or give the client the path of the launcher`;
  return `${found ?? "another program"} comes first on the PATH; put ${directory} before it, or give the client the path of the launcher`;
}

/** Marks a launcher that pintle wrote and may overwrite. */
const MARK = "# written by pintle compat";

/** Returns the script that starts pintle for clients of another program. Keeps a dialect that is already set. */
function launcherScript(name: string, { dialect }: CompatibleProgram, program: string): string {
  return `#!/bin/sh
${MARK} ${name}
PINTLE_DIALECT="\${PINTLE_DIALECT:-${dialect}}"
export PINTLE_DIALECT
exec ${quoted(program)} "$@"
`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/** A program whose clients pintle can serve. */
interface CompatibleProgram {
  /** The dialect of its clients, as a value of PINTLE_DIALECT. */
  dialect: string;
}

export const COMPATIBLE_PROGRAMS = {
  pi: { dialect: "pi" },
  omp: { dialect: "omp" },
} as const satisfies Record<string, CompatibleProgram>;

function isCompatibleProgram(name: string): name is keyof typeof COMPATIBLE_PROGRAMS {
  return Object.hasOwn(COMPATIBLE_PROGRAMS, name);
}
