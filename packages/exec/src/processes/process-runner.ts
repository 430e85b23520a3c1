import { statSync } from "node:fs";
import { errorText } from "@pintle/ai";
import { childEnvironment, type Environment, type EnvironmentRules } from "./child/child-environment.ts";
import { ChildInput } from "./child/child-input.ts";
import { type ChildOutput, createOutlet, type Outlet } from "./child/child-output.ts";
import { DeathGuard } from "./groups/death-guard.ts";
import { type ProcessGroup, ProcessGroups, STOP_GRACE_MS, type StopReason } from "./groups/process-groups.ts";
import { StartError } from "./start-error.ts";

export interface ProcessRunnerOptions {
  /** The variables that children inherit; usually process.env. */
  environment: Environment;
  /**
   * Returns the variables that children do not inherit. Called at every start; without it, children inherit everything.
   */
  rules?: (() => EnvironmentRules) | undefined;
}

export interface StartRequest {
  /** The program, by path or by name on the PATH, and its arguments. */
  command: readonly [program: string, ...args: string[]];
  cwd: string;
  env?: Environment;
  /** `pipe` for a program that receives input. Others have no stdin. */
  stdin?: "pipe";
  /** `merge`: both are read from `stdout`, in the order in which they were written. */
  stderr: "merge" | "separate" | "ignore";
  /**
   * True if the program starts the actual command and must outlive it: SIGTERM is meant for that command, which resets the
   * handler.
   */
  isSupervised?: boolean;
  /** Inherited by the program as descriptors 4, 5 and so on. */
  descriptors?: readonly number[];
}

export interface ChildExit {
  /** Exactly one of the two is set. */
  code?: number;
  /** A number if the signal has no name. */
  signal?: NodeJS.Signals | number;
  /** Set if the child was asked to stop while it ran, even if it then chose its own exit code. */
  stoppedFor?: StopReason;
}

/** A started program. Its outputs must be read or discarded; otherwise it blocks when the pipe is full. */
export interface Child {
  readonly pid: number;
  /** Only with `stdin: "pipe"`. */
  readonly stdin: ChildInput | undefined;
  readonly stdout: ChildOutput;
  /** Only with `stderr: "separate"`. */
  readonly stderr: ChildOutput | undefined;
  /** Never rejects. Says nothing about background children, which may keep running. */
  readonly exited: Promise<ChildExit>;
  /** Resolves when nothing that the child started is left, or nothing more can be done about it. */
  readonly gone: Promise<void>;
  /**
   * Sends SIGTERM to everything the child started, and SIGKILL after the grace period (0.5 s). Has no effect if it has exited.
   */
  stop(reason: StopReason, graceMs?: number): void;
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Some shells, such as `dash`, drop variables with such a name; `bash` passes them on. */
const ODD_NAME = /^[0-9]|[^A-Za-z0-9_]/;

/** Run by `sh` in place of the program, which then replaces it: notifies the guard first (death-guard.ts). */
const announceThenRun = (redirection: string) => `echo "+ $$" >&3; exec "$@" ${redirection} 3>&-`;
const IGNORE_TERM = "trap '' TERM; ";
const ANNOUNCE: Record<StartRequest["stderr"], string> = {
  merge: announceThenRun("2>&1"),
  separate: announceThenRun(""),
  ignore: announceThenRun(""),
};

/**
 * The only way to start a child process. A child gets an argument list, a session and group of its own, no stdin unless it
 * receives input, pipes for its output, and a guard that kills it if pintle is killed. It stays registered until everything it
 * started is gone.
 */
export class ProcessRunner {
  readonly #options: ProcessRunnerOptions;
  readonly #outputs = new Set<ChildOutput>();
  readonly #groups = new ProcessGroups((id) => this.#guard?.forget(id));
  #guard: DeathGuard | undefined;
  #isClosed = false;

  constructor(options: ProcessRunnerOptions) {
    this.#options = options;
  }

  /** The number of groups that may have a living process. */
  get groupCount(): number {
    return this.#groups.size;
  }

  /** The number of commands that have ended and left something running. */
  get leftBehind(): number {
    return this.#groups.leftBehind;
  }

  /** The same, checked now. */
  checkLeftBehind(): number {
    return this.#groups.checkLeftBehind();
  }

  /** Returns the path of a program, looked up as for a child. */
  which(program: string, cwd: string): string | undefined {
    return Bun.which(program, { PATH: this.#options.environment.PATH ?? DEFAULT_PATH, cwd }) ?? undefined;
  }

  /** Starts a program. Throws StartError if nothing was started. */
  start(request: StartRequest): Child {
    const { command, cwd } = request;
    if (this.#isClosed) throw new StartError("runner_closed", `Not started, pintle is ending: ${command[0]}`);
    requireDirectory(cwd);
    const program = this.which(command[0], cwd);
    if (!program) throw new StartError("program_not_found", `Program not found: ${command[0]}`);
    const env = childEnvironment({
      inherited: this.#options.environment,
      rules: this.#options.rules?.(),
      extra: request.env ?? {},
      cwd,
    });
    return this.#spawn(request, [program, ...command.slice(1)], env);
  }

  /**
   * Ends everything that was started before this call; on a session change only what finished commands left in the background.
   * Resolves when it is gone, at the latest two seconds after SIGKILL. With the reason `shutdown` nothing can be started any
   * more. May be called again with a shorter grace period.
   */
  async killAll(reason: "session_change" | "shutdown", graceMs = STOP_GRACE_MS): Promise<void> {
    if (reason === "shutdown") this.#isClosed = true;
    const outputs = [...this.#outputs];
    await this.#groups.stopAll(reason, graceMs);
    // What still holds these pipes has left its session and is out of reach, so its output is dropped.
    await Promise.all(outputs.filter((output) => output.isDiscarding).map((output) => output.close()));
  }

  #spawn(request: StartRequest, command: string[], env: Record<string, string>): Child {
    const { cwd, stderr } = request;
    const announce = `${request.isSupervised ? IGNORE_TERM : ""}${ANNOUNCE[stderr]}`;
    const guard = this.#openGuard();
    const outlets = { stdout: createOutlet(), stderr: stderr === "separate" ? createOutlet() : undefined };
    let child: Bun.Subprocess;
    try {
      child = Bun.spawn([...this.#announcer(guard, env), "-c", announce, "sh", ...command], {
        cwd,
        env,
        stdio: [
          request.stdin ?? "ignore",
          outlets.stdout.stdio,
          outlets.stderr?.stdio ?? "ignore",
          guard.open(),
          ...(request.descriptors ?? []),
        ],
        detached: true,
      });
    } catch (cause) {
      outlets.stdout.abandon();
      outlets.stderr?.abandon();
      guard.closeIfIdle();
      const why = errorText(cause);
      throw new StartError("spawn_failed", `Could not start ${command[0]}: ${why}`, { cause });
    }
    guard.add(child.pid);
    return this.#register(child, outlets);
  }

  #announcer(guard: DeathGuard, env: Record<string, string>): string[] {
    const bash = Object.keys(env).some((name) => ODD_NAME.test(name)) ? this.which("bash", "/") : undefined;
    return bash ? [bash, "--posix"] : [guard.shell]; // POSIX mode ignores the start-up file that BASH_ENV names
  }

  #register(child: Bun.Subprocess, outlets: { stdout: Outlet; stderr: Outlet | undefined }): Child {
    const group = this.#groups.add(child.pid);
    const onClosed = (output: ChildOutput) => this.#outputs.delete(output);
    const stdout = outlets.stdout.connect(child.stdout, onClosed);
    const stderr = outlets.stderr?.connect(child.stderr, onClosed);
    this.#outputs.add(stdout);
    if (stderr) this.#outputs.add(stderr);
    return {
      pid: child.pid,
      stdin: child.stdin ? new ChildInput(child.stdin as Bun.FileSink) : undefined,
      stdout,
      stderr,
      exited: this.#awaitExit(child, group),
      gone: group.settled,
      stop: (reason, graceMs) => this.#groups.stop(group, reason, graceMs),
    };
  }

  async #awaitExit(child: Bun.Subprocess, group: ProcessGroup): Promise<ChildExit> {
    const ended = child.exited.then(() => this.#groups.leaderExited(group));
    await Promise.race([ended, group.settled]);
    const { stoppedFor } = group;
    const how = child.exitCode !== null ? { code: child.exitCode } : { signal: child.signalCode ?? "SIGKILL" };
    return { ...how, ...(stoppedFor && { stoppedFor }) };
  }

  #openGuard(): DeathGuard {
    if (this.#guard) return this.#guard;
    const shell = Bun.which("/bin/sh") ?? this.which("sh", "/");
    if (!shell) throw new StartError("program_not_found", "Program not found: sh");
    this.#guard = new DeathGuard(shell);
    return this.#guard;
  }
}

function requireDirectory(cwd: string): void {
  let isDirectory: boolean | undefined;
  try {
    isDirectory = statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
  } catch (cause) {
    const why = errorText(cause);
    throw new StartError("bad_cwd", `Working directory cannot be used: ${cwd} (${why})`, { cause });
  }
  if (isDirectory === undefined) throw new StartError("bad_cwd", `Working directory does not exist: ${cwd}`);
  if (!isDirectory) throw new StartError("bad_cwd", `Working directory is not a directory: ${cwd}`);
}
