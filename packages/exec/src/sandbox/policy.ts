import type { NetworkAccess, StartUpVariables } from "@pintle/foundation";

export type SandboxMode = "off" | "workspace-write" | "read-only";

/** What a sandboxed command may do, as the settings say it. All paths are absolute. */
export interface SandboxPolicy {
  mode: Exclude<SandboxMode, "off">;
  network: NetworkAccess;
  /** Where the session works, and directories that count like it. */
  workspaces: readonly string[];
  /** Directories for temporary files. */
  temp: readonly string[];
  /** Further places that may be written to: caches of build tools. */
  write: readonly string[];
  /** Places whose contents are kept from commands. */
  hide: readonly string[];
  /** The user's home directory. */
  home: string;
  /** Where else start-up files may be. */
  variables?: StartUpVariables;
}
