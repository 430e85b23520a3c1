import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ProcessRunner } from "../processes/process-runner.ts";
import { StartError } from "../processes/start-error.ts";
import { findBubblewrap } from "./bubblewrap.ts";
import { ExecFiles } from "./exec-files.ts";
import { landlockVersionProgram } from "./kernel/confinement.ts";
import { EXEC_CODE } from "./kernel/exec-code.ts";
import type { SandboxPolicy } from "./policy.ts";
import { type Means, type Strength, toStrength } from "./strength.ts";
import { wrapCommand } from "./wrapping.ts";

export interface ProbeParts {
  processRunner: ProcessRunner;
  /** pintle's own directory, which is created if it is missing. */
  directory: string;
  /** The usual location of bubblewrap; undefined if it is not installed. */
  bubblewrap?: string | undefined;
}

const DEADLINE_MS = 10_000;
const ESCAPED = 3;
/** The highest Landlock version that an exit code can mean; higher codes are system errors. */
const MAX_VERSION = 100;
const NOTHING: Means = { landlock: 0, seccomp: false };

export interface Finding {
  strength: Strength;
  /** False if a start was interrupted or impossible, which may be temporary. */
  isLasting: boolean;
}

/**
 * Finds out what this system supports by starting a command, with the strongest means first. What is installed or compiled in
 * says little: containers forbid namespaces, and a sandbox around us may forbid another one inside.
 */
export async function probeStrength({ processRunner, directory, bubblewrap }: ProbeParts): Promise<Finding> {
  let isLasting = true;
  const tryOut: TryOut = async (command) => {
    const code = await exitCode(processRunner, command);
    isLasting &&= code !== undefined;
    return code;
  };
  for (const means of await candidates(tryOut, directory, bubblewrap)) {
    const tries = () => holds(means, tryOut, directory);
    // Tries twice: a program that was just written can be busy for a moment while another start has it open.
    if ((await tries()) || (await tries())) return { strength: toStrength(means), isLasting };
  }
  return { strength: toStrength(NOTHING), isLasting };
}

/** Returns the exit code, or undefined if the program could not be started or did not exit by itself. */
type TryOut = (command: [string, ...string[]]) => Promise<number | undefined>;

export function usualBubblewrap(): string | undefined {
  return process.platform === "linux" ? findBubblewrap() : undefined;
}

async function candidates(tryOut: TryOut, directory: string, bubblewrap?: string): Promise<Means[]> {
  if (process.platform !== "linux" || !(process.arch in EXEC_CODE)) return [];
  const landlock = await landlockVersion(tryOut, directory);
  const withBubblewrap: Means[] = bubblewrap === undefined ? [] : [{ bubblewrap, landlock, seccomp: true }];
  const withoutIt: Means[] =
    landlock === 0
      ? []
      : [
          { landlock, seccomp: true },
          { landlock, seccomp: false },
        ];
  return [...withBubblewrap, ...withoutIt];
}

async function landlockVersion(tryOut: TryOut, directory: string): Promise<number> {
  const image = landlockVersionProgram(process.arch as keyof typeof EXEC_CODE);
  const code = await tryOut([await new ExecFiles(directory).program(image)]);
  return code !== undefined && code <= MAX_VERSION ? code : 0;
}

/** Returns whether a command can be started and cannot write where it must not. */
async function holds(means: Means, tryOut: TryOut, directory: string): Promise<boolean> {
  const outside = join(directory, `escaped-${crypto.randomUUID()}`);
  const script = `(: >"$1") 2>/dev/null && exit ${ESCAPED}; exit 0`;
  const command = ["/bin/sh", "-c", script, "sh", outside];
  const files = new ExecFiles(directory);
  const code = await tryOut(await wrapCommand({ policy: PROBED, means, files, places: [], cwd: "/", command }));
  if (existsSync(outside)) await rm(outside, { force: true });
  return code === 0;
}

const PROBED: SandboxPolicy = {
  mode: "read-only",
  network: "off",
  workspaces: [],
  temp: [],
  write: [],
  hide: [],
  home: homedir(),
};

async function exitCode(processRunner: ProcessRunner, command: [string, ...string[]]): Promise<number | undefined> {
  try {
    const child = processRunner.start({ command, cwd: "/", stderr: "ignore" });
    const timer = setTimeout(() => child.stop("timed_out", 0), DEADLINE_MS);
    const [exit] = await Promise.all([child.exited, child.stdout.discardRest()]);
    clearTimeout(timer);
    return exit.stoppedFor === undefined ? exit.code : undefined;
  } catch (error) {
    if (error instanceof StartError && error.code !== "runner_closed") return undefined;
    throw error;
  }
}
