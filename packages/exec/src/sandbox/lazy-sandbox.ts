import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expandHome } from "@pintle/foundation";
import type { PermissionMode, SandboxStatus } from "@pintle/wire";
import type { Environment } from "../processes/child/child-environment.ts";
import type { LazyProcessRunner } from "../processes/lazy-process-runner.ts";
import type { SandboxMode, SandboxPolicy } from "./policy.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Strength } from "./strength.ts";

/** What the user has configured. */
export interface SandboxSettings {
  /** `auto` follows the permission preset. */
  mode: SandboxMode | "auto";
  network: SandboxPolicy["network"];
  /** The minimum strength that commands require. */
  require: "full" | "partial" | undefined;
  write: readonly string[];
  hide: readonly string[];
  /** Whether the user's own commands run in the sandbox as well, and MCP servers. */
  userCommands: boolean;
  mcp: boolean;
}

export interface LazySandboxParts {
  settings: () => SandboxSettings;
  env: Environment;
  /** pintle's own directory. */
  home: string;
  /** Where the session works. */
  cwd: () => string;
  /** Directories that are treated like it. */
  roots?: () => readonly string[];
  /** The permission preset, which decides unless the user has chosen a mode. */
  preset: () => PermissionMode;
  /** Directories for temporary files, to which commands may write. Default: those of the system. */
  temporary?: readonly string[];
  version: string;
  processRunner: Pick<LazyProcessRunner, "open">;
  /** Called when the strength has become known. */
  onStatus?: (status: SandboxStatus) => void;
}

/** The kinds of commands that may run in the sandbox. The model's commands always do if there is a sandbox. */
export type CommandOrigin = "model" | "user" | "mcp";

const BY_PRESET: Readonly<Record<PermissionMode, SandboxMode>> = {
  plan: "read-only",
  ask: "workspace-write",
  workspace: "workspace-write",
  full: "off",
};

/** The sandbox of a session, loaded when the first command needs it. */
export class LazySandbox {
  /** Whether a user can be asked to let a command run outside. */
  mayEscalate: () => boolean = () => true;
  readonly #parts: LazySandboxParts;
  #sandbox: Promise<Sandbox> | undefined;
  #known: Strength | undefined;
  #isProbed = false;

  constructor(parts: LazySandboxParts) {
    this.#parts = parts;
  }

  get mode(): SandboxMode {
    const { settings, preset } = this.#parts;
    const { mode } = settings();
    return mode === "auto" ? BY_PRESET[preset()] : mode;
  }

  /** True if the model's commands run in it and it is known to work. */
  get isFull(): boolean {
    return this.mode !== "off" && this.#known?.level === "full";
  }

  /** True if its strength is not known and has not been probed. */
  get isUnknown(): boolean {
    return this.mode !== "off" && this.#known === undefined && !this.#isProbed;
  }

  /** Probes its strength if that is not known. */
  async probe(): Promise<void> {
    if (this.mode === "off" || this.#known !== undefined) return;
    this.#isProbed = true;
    await (await this.#open()).strength().catch(() => {}); // reported with the command that needs it
  }

  /** Returns undefined if commands of this kind run without a sandbox. */
  async for(origin: CommandOrigin): Promise<Sandbox | undefined> {
    const { userCommands, mcp } = this.#parts.settings();
    const isMeant = { model: true, user: userCommands, mcp }[origin];
    return this.mode !== "off" && isMeant ? this.#open() : undefined;
  }

  /** As far as it is known. */
  get status(): SandboxStatus {
    return toStatus(this.mode, this.#known);
  }

  /** Looks up the result of an earlier probe; starts nothing. */
  async recall(): Promise<void> {
    if (this.mode !== "off") this.#known = (await this.#open()).knownStrength();
  }

  #open(): Promise<Sandbox> {
    this.#sandbox ??= this.#load();
    return this.#sandbox;
  }

  async #load(): Promise<Sandbox> {
    const { Sandbox } = await import("./sandbox.ts");
    const { settings, home, version, processRunner, onStatus } = this.#parts;
    return new Sandbox({
      policy: () => this.#policy(),
      required: () => settings().require,
      directory: join(home, "sandbox"),
      version,
      processRunner: () => processRunner.open(),
      onFound: (strength) => {
        const isNews = this.#known === undefined;
        this.#known = strength;
        if (isNews) onStatus?.(this.status);
      },
    });
  }

  #policy(): SandboxPolicy | undefined {
    const { settings, env, home, cwd, roots, temporary } = this.#parts;
    const { network, write, hide } = settings();
    const { mode } = this;
    if (mode === "off") return undefined;
    const userHome = env.HOME || homedir();
    const place = (path: string) => resolve(cwd(), expandHome(path, userHome));
    return {
      mode,
      network,
      workspaces: [cwd(), ...(roots?.() ?? [])],
      temp: temporary ?? [env.TMPDIR || tmpdir(), "/tmp", "/var/tmp"],
      write: write.map(place),
      hide: [join(userHome, ".ssh"), join(userHome, ".aws"), home, ...hide.map(place)],
      home: userHome,
      variables: env,
    };
  }
}

function toStatus(mode: SandboxMode, strength: Strength | undefined): SandboxStatus {
  if (!strength) return { mode, strength: "unknown" };
  const { level, missing } = strength;
  return { mode, strength: level, ...(missing.length > 0 && { missing }) };
}
