import { type ChildProcess, spawn } from "node:child_process";
import type { OptionNames } from "../core/option-names.ts";
import { FLAG_OPTION_NAMES, type FlagOptions, flagArgs } from "./flag-options.ts";
import { findProgram } from "./program-places.ts";

export interface LaunchOptions extends FlagOptions {
  /** A script to start with `bun <cliPath>` instead of the compiled program. */
  cliPath?: string;
  /**
   * The program to start: a command line to which the arguments are appended, or a function that returns the whole command line.
   */
  command?: readonly string[] | ((args: string[]) => readonly string[]);
  /** Spawns the process itself, with pipes for stdin, stdout and stderr. */
  spawn?(args: string[]): ChildProcess;
  cwd?: string;
  /** Added to this process's environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Additional arguments. */
  args?: readonly string[];
}

export const LAUNCH_OPTION_NAMES: OptionNames<LaunchOptions> = {
  ...FLAG_OPTION_NAMES,
  cliPath: true,
  command: true,
  spawn: true,
  cwd: true,
  env: true,
  args: true,
};

/** Starts the server. If the program cannot be started, the process emits `error`. */
export function launch(options: LaunchOptions): ChildProcess {
  const args = ["--mode", "rpc", ...flagArgs(options), ...(options.args ?? [])];
  if (options.spawn) return options.spawn(args);
  const [program = "", ...rest] = commandLine(options, args);
  return spawn(program, rest, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
}

function commandLine({ command, cliPath }: LaunchOptions, args: string[]): readonly string[] {
  if (typeof command === "function") return command(args);
  if (command) return [...command, ...args];
  return cliPath === undefined ? [findProgram(), ...args] : ["bun", cliPath, ...args];
}
