import { existsSync } from "node:fs";
import { isSystemError } from "@pintle/foundation";
import type { Environment } from "../processes/child/child-environment.ts";
import type { ProcessRunner } from "../processes/process-runner.ts";
import { StartError } from "../processes/start-error.ts";
import { planAccess } from "./access-plan.ts";
import { denialHint, type FailedCommand } from "./denial-hint.ts";
import { ExecFiles } from "./exec-files.ts";
import type { CommandNetwork } from "./network/command-network.ts";
import { Placeholders } from "./placeholders/placeholders.ts";
import type { SandboxMode, SandboxPolicy } from "./policy.ts";
import { probeStrength, usualBubblewrap } from "./probe.ts";
import { isEnough, type Strength } from "./strength.ts";
import { StrengthCache } from "./strength-cache.ts";
import { type WrapRequest, wrapCommand } from "./wrapping.ts";

export interface SandboxParts {
  /** Called at every start. If it returns undefined, commands run without a sandbox. */
  policy: () => SandboxPolicy | undefined;
  /** Commands are refused if the sandbox is weaker than this. */
  required: () => "full" | "partial" | undefined;
  /** pintle's own directory, to which commands cannot write. */
  directory: string;
  version: string;
  processRunner: () => Promise<ProcessRunner>;
  /** Called once, when the first command needs to know the strength. */
  onFound?: ((strength: Strength) => void) | undefined;
  /** The path of bubblewrap if it is not in its usual place; null to use none. */
  bubblewrap?: string | null;
}

export interface CommandStart {
  /** The absolute path of the program, and its arguments. */
  command: readonly [program: string, ...args: string[]];
  cwd: string;
  /** Variables for the command only; undefined removes one. */
  env: Environment;
}

/** What to start instead. */
export interface WrappedStart {
  command: [program: string, ...args: string[]];
  env: Environment;
  /** True if the started program supervises the command and does not forward signals. */
  isSupervised: boolean;
  /** Inherited by that program, starting with descriptor 4. */
  descriptors?: readonly number[];
  /** The connections that the command attempted and that were refused, one sentence each. */
  refusals?: () => string[];
  /** Call this once, when the command and everything it started have ended, or if it was not started. */
  afterwards?: () => void;
}

const ENV_PROGRAM = "/usr/bin/env";
/** Belongs to the command alone and is removed with it. */
const OWN_TEMP = "/dev/shm";

/** The sandbox of a session: knows its strength, and how to start a command in it. */
export class Sandbox {
  readonly #parts: SandboxParts;
  readonly #files: ExecFiles;
  readonly #bubblewrap: string | undefined;
  #strength: Promise<Strength> | undefined;
  #known: Strength | undefined;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
    this.#files = new ExecFiles(parts.directory);
    this.#bubblewrap = parts.bubblewrap === null ? undefined : (parts.bubblewrap ?? usualBubblewrap());
  }

  get mode(): SandboxMode {
    return this.#parts.policy()?.mode ?? "off";
  }

  /** Returns what is known without starting anything. */
  knownStrength(): Strength | undefined {
    this.#known ??= this.#cache().read();
    return this.#known;
  }

  /** Starts a command to find out, unless an earlier one has done so since the system was booted. */
  strength(): Promise<Strength> {
    this.#strength ??= this.#findStrength();
    this.#strength.catch(() => {
      this.#strength = undefined; // the disk may have space again at the next command
    });
    return this.#strength;
  }

  /**
   * Returns how to start a command. `mode` restricts it further than the policy does. Throws StartError if the required strength is
   * not available.
   */
  async wrap(start: CommandStart, mode?: "read-only"): Promise<WrappedStart> {
    const given = this.#parts.policy();
    if (!given) return bare(start);
    const policy = mode === undefined ? given : { ...given, mode };
    try {
      return await this.#wrap(start, policy);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new StartError("sandbox_failed", `Not started, the sandbox cannot be set up: ${error.message}`, {
        cause: error,
      });
    }
  }

  async #wrap(start: CommandStart, policy: SandboxPolicy): Promise<WrappedStart> {
    const strength = await this.strength();
    this.#requireEnough(strength);
    requireOwnNetwork(strength, policy);
    if (strength.level === "none") return bare(start);
    const { means } = strength;
    const request = { policy, means, files: this.#files, cwd: start.cwd };
    if (means.bubblewrap !== undefined) return this.#wrapInNamespaces(start, request);
    const places = planAccess(policy, { canProtect: false });
    const command = await wrapCommand({ ...request, places, command: withEnvironment(start, undefined) });
    return { command, env: {}, isSupervised: false };
  }

  async #wrapInNamespaces(
    start: CommandStart,
    request: Omit<WrapRequest, "places" | "locks" | "command">,
  ): Promise<WrappedStart> {
    const { policy } = request;
    const placeholders = await Placeholders.open(this.#parts.directory, this.#files, policy);
    let network: CommandNetwork | undefined;
    const afterwards = () => {
      network?.close();
      placeholders.release();
    };
    try {
      network = await openNetwork(policy);
      const places = planAccess(policy, { canProtect: true });
      await placeholders.make(places);
      const command = withEnvironment(start, policy, network?.variables);
      const wrapped = await wrapCommand({ ...request, command, places, locks: placeholders.locks });
      const reached = network && { descriptors: [network.descriptor], refusals: () => network?.refusals ?? [] };
      return { command: placeholders.guarded(wrapped), env: {}, isSupervised: true, afterwards, ...reached };
    } catch (error) {
      afterwards();
      throw error;
    }
  }

  /** Returns one line for a command that failed, if the sandbox is the probable cause. */
  hint(failed: FailedCommand, mayEscalate: boolean): string | undefined {
    const policy = this.#parts.policy();
    return policy && this.#known && denialHint({ ...policy, mayEscalate }, this.#known, failed);
  }

  async #findStrength(): Promise<Strength> {
    const strength = this.knownStrength() ?? (await this.#probe());
    this.#parts.onFound?.(strength);
    return strength;
  }

  async #probe(): Promise<Strength> {
    const processRunner = await this.#parts.processRunner();
    const { strength, isLasting } = await probeStrength({
      processRunner,
      directory: this.#parts.directory,
      bubblewrap: this.#bubblewrap,
    });
    this.#known = strength;
    if (isLasting) await this.#cache().write(strength);
    return strength;
  }

  #cache(): StrengthCache {
    const { directory, version } = this.#parts;
    return new StrengthCache(directory, { version, bubblewrap: this.#bubblewrap });
  }

  #requireEnough({ level, missing }: Strength): void {
    const required = this.#parts.required();
    if (required === undefined || isEnough(level, required)) return;
    const lack = missing.length > 0 ? ` (${missing.join("; ")})` : "";
    throw new StartError(
      "sandbox_too_weak",
      `Not started: sandbox.require asks for ${required}, and this system gives ${level}${lack}.`,
    );
  }
}

/** Loaded with the first command that needs it. */
async function openNetwork({ network }: SandboxPolicy): Promise<CommandNetwork | undefined> {
  if (typeof network !== "object") return undefined;
  const { CommandNetwork } = await import("./network/command-network.ts");
  return new CommandNetwork(network);
}

/** A list of hosts never falls back to the whole network, nor to none of it. */
function requireOwnNetwork({ means }: Strength, { network }: SandboxPolicy): void {
  if (typeof network !== "object" || means.bubblewrap !== undefined) return;
  throw new StartError(
    "sandbox_too_weak",
    "Not started: sandbox.network lists hosts, and this system cannot limit a command to them, because bubblewrap is missing or does not work. Install bubblewrap, or set sandbox.network to off or on.",
  );
}

function bare({ command, env }: CommandStart): WrappedStart {
  return { command: [...command], env, isSupervised: false };
}

/**
 * Variables for the command are set inside. Set outside, they would reach the programs that build the sandbox, and
 * `LD_PRELOAD` alone is enough to run code there.
 */
function withEnvironment(
  { command, env }: CommandStart,
  ownSpaces: SandboxPolicy | undefined,
  variables: Environment = {},
): string[] {
  const needsTemp = ownSpaces?.mode === "read-only";
  const all: Environment = { ...variables, ...(needsTemp && { TMPDIR: OWN_TEMP }), ...env };
  const names = Object.keys(all);
  if (names.length === 0) return [...command];
  if (!existsSync(ENV_PROGRAM)) throw new StartError("program_not_found", `Program not found: ${ENV_PROGRAM}`);
  const removed = names.filter((name) => all[name] === undefined).flatMap((name) => ["-u", name]);
  const set = names.filter((name) => all[name] !== undefined).map((name) => `${name}=${all[name]}`);
  return [ENV_PROGRAM, ...removed, "--", ...set, ...command];
}
