import { untilAborted } from "@pintle/ai";
import type { Environment } from "./environment.ts";

/** Runs a shell command for the user's configuration. Must stop the command when the signal is aborted. */
export type RunCommand = (
  command: string,
  options: { signal: AbortSignal },
) => Promise<{ stdout: string; exitCode: number }>;

export interface SecretValuesOptions {
  env: Environment;
  /** Without a runner, using a `!command` value is an error. */
  runCommand?: RunCommand;
  commandLimitMs?: number;
}

/** A configured value could not be turned into a key. The message names its owner, never the command or its output. */
export class SecretValueError extends Error {
  override name = "SecretValueError";
}

const COMMAND_LIMIT_MS = 10_000;
const SHELL_VARIABLE = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/;

/**
 * Resolves a configured value: `!command` (its output), otherwise the name of an environment variable, plain or in
 * shell syntax (`$NAME`, `${NAME}`), otherwise the value itself. Remembers every secret it has seen, so that they can
 * be removed from logs and error messages.
 */
export class SecretValues {
  readonly #options: SecretValuesOptions;
  readonly #known = new Set<string>();

  constructor(options: SecretValuesOptions) {
    this.#options = options;
  }

  get env(): Environment {
    return this.#options.env;
  }

  /** Returns whether a value is probably available. Never runs a command. */
  has(value: string): boolean {
    return isCommand(value) ? value.slice(1).trim() !== "" : this.#plain(value) !== "";
  }

  /** Returns the value without running anything, or undefined for a command. */
  peek(value: string): string | undefined {
    return isCommand(value) ? undefined : this.#plain(value);
  }

  /** `owner` names the owner of the value in error messages. */
  async resolve(value: string, owner: string): Promise<string> {
    return isCommand(value) ? this.#output(value.slice(1).trim(), owner) : this.#plain(value);
  }

  remember(secret: string): void {
    if (secret !== "") this.#known.add(secret);
  }

  known(): ReadonlySet<string> {
    return this.#known;
  }

  /** Returns the variable that a value names. A name in shell syntax is always a variable, set or not. */
  variableIn(value: string): string | undefined {
    const [, inBraces, plain] = SHELL_VARIABLE.exec(value) ?? [];
    return inBraces ?? plain ?? (this.env[value] ? value : undefined);
  }

  #plain(value: string): string {
    const name = this.variableIn(value);
    return name === undefined ? value : (this.env[name] ?? "");
  }

  async #output(command: string, owner: string): Promise<string> {
    const { runCommand, commandLimitMs = COMMAND_LIMIT_MS } = this.#options;
    if (!runCommand) throw new SecretValueError(`${owner} is a command, and commands cannot be run here`);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), commandLimitMs);
    const { signal } = limit;
    const result = await untilAborted(
      Promise.try(() => runCommand(command, { signal })),
      signal,
    )
      .catch(() => undefined) // the error may quote the command
      .finally(() => clearTimeout(timer));
    if (signal.aborted) {
      throw new SecretValueError(`${owner}: its command took longer than ${commandLimitMs / 1000} s`);
    }
    if (!result) throw new SecretValueError(`${owner}: its command could not be started`);
    if (result.exitCode !== 0) {
      throw new SecretValueError(`${owner}: its command ended with exit code ${result.exitCode}`);
    }
    const output = result.stdout.trim();
    if (output === "") throw new SecretValueError(`${owner}: its command printed nothing`);
    this.remember(output);
    return output;
  }
}

function isCommand(value: string): boolean {
  return value.startsWith("!");
}
