import type { PermissionRequest } from "@pintle/wire";

export type { PermissionRequest } from "@pintle/wire";

export type RequestKind = PermissionRequest["kind"];
export type RequestPath = NonNullable<PermissionRequest["paths"]>[number];
export type RequestCommand = NonNullable<PermissionRequest["command"]>;

/** A command whose programs are all known. */
export interface CommandReading {
  /** Per program: whether it is known to change nothing and to read only files inside. */
  readOnlyPrograms: readonly boolean[];
  /** Per program: whether the shell replaces one of its words with file names. */
  patternPrograms: readonly boolean[];
  /** Runs in place of the original text where a rule or a preset allows the command. */
  script: string;
  /** Files that its words may name, for rules that forbid files. Undefined if they cannot be listed. */
  namedPaths(): readonly RequestPath[] | undefined;
  /** Directories whose files are read without being named (`grep -r`). */
  searchedDirectories(): readonly string[];
}

/** Facts about a request that are not shown to the user. */
export interface JudgedRequest {
  request: PermissionRequest;
  /** Certain facts about a command. Undefined for other requests and for opaque commands. */
  reading?: CommandReading;
  /** True if it runs in a full-strength sandbox. */
  isSandboxed: boolean;
  /** True for a host tool if no host declared that it answers questions; the host then receives only the call. */
  isLeftToHost: boolean;
}
