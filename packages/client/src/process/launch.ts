import { type ChildProcess, spawn } from "node:child_process";
import { findProgram } from "./program-places.ts";

export interface LaunchOptions {
  /** A script that is started with `bun <cliPath>` instead of the compiled program. */
  cliPath?: string;
  /** What is started: a command line to which the arguments are added, or a function that gives the whole one. */
  command?: readonly string[] | ((args: string[]) => readonly string[]);
  /** Starts the process by itself, with pipes for stdin, stdout and stderr. */
  spawn?(args: string[]): ChildProcess;
  cwd?: string;
  /** Added to the environment of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  provider?: string;
  model?: string;
  sessionDir?: string;
  /** For tests: the server answers mistakes of the host as failures (`--strict-host`). One that belongs to no call goes to `onProtocolError`. */
  strictHost?: boolean;
  /** Further arguments. */
  args?: readonly string[];
}

/** Starts the server. A program that cannot be started is an `error` event of the process. */
export function launch(options: LaunchOptions): ChildProcess {
  const args = serverArgs(options);
  if (options.spawn) return options.spawn(args);
  const [program = "", ...rest] = commandLine(options, args);
  return spawn(program, rest, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
}

function serverArgs({ provider, model, sessionDir, strictHost = false, args = [] }: LaunchOptions): string[] {
  return [
    "--mode",
    "rpc",
    ...(provider === undefined ? [] : ["--provider", provider]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(sessionDir === undefined ? [] : ["--session-dir", sessionDir]),
    ...(strictHost ? ["--strict-host"] : []),
    ...args,
  ];
}

function commandLine({ command, cliPath }: LaunchOptions, args: string[]): readonly string[] {
  if (typeof command === "function") return command(args);
  if (command) return [...command, ...args];
  return cliPath === undefined ? [findProgram(), ...args] : ["bun", cliPath, ...args];
}
