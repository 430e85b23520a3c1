import type { SettingType } from "./settings-types.ts";

/**
 * Whether a project's settings file may set a key: always, only once the user trusts the project, or never. "lower" and "raise"
 * are for limits: before the user trusts it, a project may make them stricter in that direction.
 */
export type ProjectRight = "always" | "lower" | "raise" | "consent" | "never";

/**
 * Whether a host of `pintle serve` may set a key for its session: always; as far as `serve.maxPermissions` allows; to paths
 * inside `serve.roots`; to names in `serve.env`. The server rejects keys without this field.
 */
export type HostRight = "any" | "ceiling" | "roots" | "env";

export interface SettingRow<T, D extends T | undefined = T | undefined> {
  type: SettingType<T>;
  /** Undefined if there is no default value. */
  default: D;
  /** One sentence. */
  meaning: string;
  project: ProjectRight;
  host?: HostRight;
  /** RPC mode uses the default, whatever the files say. Explicit values of this process still apply. */
  resetInRpc?: true;
  /** The default in RPC mode, where files are ignored for this key as well. */
  rpcDefault?: NoInfer<T>;
  /** A wrong value in the user's file is an error, because using the default would send or run what the user has excluded. */
  isStrict?: true;
  /** Accepted because users of other agents have it in their files, or for a planned feature. */
  inert?: true;
}

/** Infers the type of a value from `type`, and checks that the default has it. */
export function setting<T, const D extends NoInfer<T> | undefined>(row: SettingRow<T, D>): SettingRow<T, D> {
  return row;
}

/** The rows of one topic, by key. */
export type SettingRows = Record<string, SettingRow<unknown, unknown>>;
