import { unlink, writeFile } from "node:fs/promises";
import { errorText } from "@pintle/ai";
import { exitWithin, StartError } from "@pintle/exec";
import type { Child, ProcessRunner } from "@pintle/exec/processes";

/** Git could not be run, or failed. Proves nothing about the repository. */
export class GitError extends Error {}

export interface GitCommand {
  args: readonly string[];
  cwd: string;
  gitDir?: string;
  workTree?: string;
  index?: string;
  /** Another folder from which git reads objects. */
  objects?: string;
  /** The input for git. */
  input?: string;
  /** Whether a warning is a failure: git skips a folder that it cannot read, and reports success. */
  refusesWarnings?: boolean;
  /** Exit codes other than 0 that are not failures. */
  expected?: readonly number[];
  /** Whether git may read the user's own configuration, which can name programs but is not run here. */
  readsUserConfig?: boolean;
  /** The maximum size of the output; the rest is dropped. */
  maxBytes?: number;
}

/** Long enough for a repository with millions of files on a slow disk. */
const TIME_LIMIT_MS = 10 * 60_000;
const MAX_COMPLAINT_BYTES = 500;

/**
 * Options that keep a repository's configuration from running a program: hooks, the file system monitor, and transports for
 * objects that a partial clone lacks. Filters are kept out by the attributes of the repositories that pintle writes.
 */
const HARDENING = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.attributesFile=/dev/null",
  "protocol.allow=never",
  // The owner of a repository matters to git because of configuration that runs programs, which is ruled out here.
  "safe.directory=*",
].flatMap((option) => ["-c", option]);

const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
};

/** Runs git so that neither the repository nor environment variables can choose what it executes. */
export class Git {
  readonly #runner: ProcessRunner;
  readonly #signal: AbortSignal | undefined;
  /** A file for the input of a command, because a pipe could block while git writes. */
  readonly #inputPath: () => string;

  constructor(runner: ProcessRunner, { signal, inputPath }: { signal?: AbortSignal; inputPath: () => string }) {
    this.#runner = runner;
    this.#signal = signal;
    this.#inputPath = inputPath;
  }

  /** Throws GitError, or the reason of the signal. */
  async run({ expected = [], ...command }: GitCommand): Promise<{ output: Buffer; code: number }> {
    this.#signal?.throwIfAborted();
    const path = command.input && this.#inputPath();
    if (path !== undefined) await writeFile(path, command.input!, { mode: 0o600 });
    try {
      const { output, complaint, code } = await this.#execute(command, path);
      const isWarned = command.refusesWarnings === true && complaint !== "";
      if (code !== undefined && !isWarned && (code === 0 || expected.includes(code))) return { output, code };
      throw new GitError(`git ${command.args[0]} failed${code === undefined ? "" : ` (${code})`}: ${complaint}`);
    } finally {
      if (path !== undefined) await unlink(path).catch(() => {}); // its folder will be removed
    }
  }

  /** Returns the output without the line break at its end. */
  async text(command: GitCommand): Promise<string> {
    const { output } = await this.run(command);
    return decodeName(output).replace(/\n$/, "");
  }

  /** Returns output whose parts end with NUL. */
  async parts(command: GitCommand): Promise<string[]> {
    const { output } = await this.run(command);
    return decodeName(output).split("\0").slice(0, -1);
  }

  async #execute(command: Omit<GitCommand, "expected">, inputPath: string | undefined) {
    const child = this.#start(command, inputPath);
    const { maxBytes = Number.POSITIVE_INFINITY } = command;
    const [output, complaint, { code, stoppedFor }] = await Promise.all([
      readAll(child.stdout, maxBytes, () => child.stop("aborted", 0)),
      readAll(child.stderr!, MAX_COMPLAINT_BYTES),
      exitWithin(child, { timeoutMs: TIME_LIMIT_MS, signal: this.#signal }),
    ]);
    this.#signal?.throwIfAborted();
    const why = stoppedFor === "timed_out" ? "it took too long" : complaint.toString().trim();
    return { output, complaint: why, code: output.length >= maxBytes ? 0 : code };
  }

  #start(
    { args, cwd, gitDir, workTree, index, objects, readsUserConfig }: GitCommand,
    inputPath: string | undefined,
  ): Child {
    const names = Object.keys(process.env).filter((name) => name.startsWith("GIT_"));
    const program = ["git", "--no-pager", ...HARDENING, ...args] as const;
    try {
      return this.#runner.start({
        command: inputPath === undefined ? program : ["sh", "-c", 'exec "$@" <"$0"', inputPath, ...program],
        cwd,
        env: {
          ...Object.fromEntries(names.map((name) => [name, undefined])),
          ...ENVIRONMENT,
          GIT_CONFIG_GLOBAL: readsUserConfig ? process.env.GIT_CONFIG_GLOBAL : "/dev/null",
          GIT_DIR: gitDir,
          GIT_WORK_TREE: workTree,
          GIT_INDEX_FILE: index,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: objects && JSON.stringify(objects),
        },
        stderr: "separate",
      });
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      throw new GitError(`git cannot be run: ${errorText(error)}`, { cause: error });
    }
  }
}

async function readAll(output: Child["stdout"], maxBytes: number, onEnough?: () => void): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await output.read(); chunk; chunk = await output.read()) {
    if (bytes >= maxBytes) continue;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) onEnough?.();
  }
  await output.close();
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Names that are not UTF-8 cannot be passed to git unchanged. */
function decodeName(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new GitError("a file has a name that is not valid UTF-8", { cause });
  }
}
