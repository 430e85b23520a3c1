import type { NetworkAccess, StartUpVariables } from "@pintle/foundation";

export type SandboxMode = "off" | "workspace-write" | "read-only";

/** What a sandboxed command may do, according to the settings. All paths are absolute. */
export interface SandboxPolicy {
  mode: Exclude<SandboxMode, "off">;
  network: NetworkAccess;
  /** The session's working directory, and directories that are treated like it. */
  workspaces: readonly string[];
  /** Directories for temporary files. */
  temp: readonly string[];
  /** Other places that may be written to, such as caches of build tools. */
  write: readonly string[];
  /** Places whose contents commands cannot see. */
  hide: readonly string[];
  /** The user's home directory. */
  home: string;
  /** Variables that can move start-up files elsewhere. */
  variables?: StartUpVariables;
}
