import type { SettingType } from "./settings-types.ts";

/**
 * Whether a project's settings file may set a key: at once, only once the user trusts the project, or not at all. "lower" and
 * "raise" stand for limits: before consent a project may make them stricter than they are, in that direction.
 */
export type ProjectRight = "always" | "lower" | "raise" | "consent" | "never";

/**
 * Whether a host of `pintle serve` may set a key for its session: always; as far as `serve.maxPermissions` allows; to paths inside
 * `serve.roots`; to names in `serve.env`. The server refuses a key whose row does not say.
 */
export type HostRight = "any" | "ceiling" | "roots" | "env";

export interface SettingRow<T, D extends T | undefined = T | undefined> {
  type: SettingType<T>;
  /** undefined: there is no value until someone sets one. */
  default: D;
  /** One sentence. */
  meaning: string;
  project: ProjectRight;
  host?: HostRight;
  /** RPC mode takes the default, whatever the files say. Explicit values of this process still count. */
  resetInRpc?: true;
  /** The default in RPC mode, where the files do not count for this key either. */
  rpcDefault?: NoInfer<T>;
  /** A wrong value in the user's file is an error: going on with the default would send or run what the user has excluded. */
  isStrict?: true;
  /** Accepted because users of other agents have it in their files, or for a feature that does not exist yet. */
  inert?: true;
}

/** Infers the type of a value from `type`, and checks that the default is one. */
export function setting<T, const D extends NoInfer<T> | undefined>(row: SettingRow<T, D>): SettingRow<T, D> {
  return row;
}

/** The rows of one topic, by key. */
export type SettingRows = Record<string, SettingRow<unknown, unknown>>;
